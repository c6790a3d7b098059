"""A certificate authority of our own and a server certificate for this machine, made by openssl."""

import ssl
import subprocess


class Certificates:
    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.authority = folder / "ca.pem"
        self.authority_key = folder / "ca.key"
        self.key, self.certificate = folder / "server.key", folder / "server.pem"
        request, extensions = folder / "server.csr", folder / "extensions"
        extensions.write_text(
            "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n"
        )
        new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl(
            "req",
            "-x509",
            *new_key,
            "-keyout",
            self.authority_key,
            "-out",
            self.authority,
            "-days",
            "7",
            "-subj",
            "/CN=Authority of the end-to-end tests",
            "-addext",
            "keyUsage=critical,keyCertSign"
        )
        openssl("req", *new_key, "-keyout", self.key, "-out", request, "-subj", "/CN=localhost")
        openssl(
            "x509",
            "-req",
            "-in",
            request,
            "-CA",
            self.authority,
            "-CAkey",
            self.authority_key,
            "-CAcreateserial",
            "-days",
            "7",
            "-extfile",
            extensions,
            "-out",
            self.certificate,
        )

    def server_context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def client_context(self):
        return ssl.create_default_context(cafile=self.authority)


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)
