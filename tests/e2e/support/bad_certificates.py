"""Server certificates that nobody should accept, made by openssl beside good ones (support/certificates)."""

import ssl

from .certificates import openssl

NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


class BadCertificates:
    def __init__(self, certificates, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.certificates = certificates
        self.folder = folder

    def expired(self):
        """It ends in the second in which it begins."""
        return self._signed("expired", "DNS:localhost,IP:127.0.0.1", days=0)

    def of_another_host(self):
        return self._signed("other", "DNS:other.example")

    def of_a_name_in_the_subject_only(self):
        """As certificates were before they had a place for names; no browser takes them any more."""
        return self._signed("localhost", "email:post@example.com")

    def self_signed(self):
        return self._alone("self", "localhost", "DNS:localhost,IP:127.0.0.1")

    def of_an_unknown_issuer(self):
        """Signed by an authority that only the server knows."""
        authority, key = self.folder / "stranger.pem", self.folder / "stranger.key"
        openssl(
            "req", "-x509", *NEW_KEY, "-keyout", key, "-out", authority, "-days", "7", "-subj", "/CN=Stranger",
            "-addext", "keyUsage=critical,keyCertSign"
        )
        return self._signed("unknown", "DNS:localhost,IP:127.0.0.1", authority=authority, authority_key=key)

    def _signed(self, name, alternative, days=7, authority=None, authority_key=None):
        key, request = self.folder / f"{name}.key", self.folder / f"{name}.csr"
        certificate, extensions = self.folder / f"{name}.pem", self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={alternative}\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n")
        openssl("req", *NEW_KEY, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        openssl(
            "x509", "-req", "-in", request, "-CA", authority or self.certificates.authority,
            "-CAkey", authority_key or self.certificates.authority_key, "-CAcreateserial", "-days", days,
            "-extfile", extensions, "-out", certificate
        )
        return _context(certificate, key)

    def _alone(self, name, common_name, alternative):
        key, certificate = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        openssl(
            "req", "-x509", *NEW_KEY, "-keyout", key, "-out", certificate, "-days", "7", "-subj", f"/CN={common_name}",
            "-addext", f"subjectAltName={alternative}"
        )
        return _context(certificate, key)


def _context(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
