"""An origin that speaks HTTP/2: nginx in front of one of support/origin. Its log tells which protocol it was asked in."""

import shutil
import socket
import subprocess

from .runner import Skip, wait_until

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")

CONFIGURATION = """daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  log_format protocol '$server_protocol $status $request_method $request_uri';
  access_log {folder}/access.log protocol;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  client_max_body_size 0;
  map $http_upgrade $connection_upgrade {{ default upgrade; "" ""; }}
  server {{
    listen 127.0.0.1:{port} ssl http2;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    location / {{
      proxy_pass {behind};
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    }}
  }}
}}
"""


class Http2Origin:
    def __init__(self, folder, behind, certificates):
        """behind: the origin that answers."""
        if not NGINX:
            raise Skip("no nginx")
        folder.mkdir(parents=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = folder / "access.log"
        self.url = f"https://127.0.0.1:{self.port}"
        configuration = folder / "nginx.conf"
        configuration.write_text(
            CONFIGURATION.format(
                folder=folder,
                port=self.port,
                certificate=certificates.certificate,
                key=certificates.key,
                behind=behind.url,
            )
        )
        self.process = subprocess.Popen(
            [NGINX, "-c", str(configuration), "-p", str(folder)], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_until(self._listens, "nginx")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def protocols(self):
        """How often it was asked in which protocol."""
        counts = {}
        for line in self.log.read_text().splitlines():
            counts[line.split()[0]] = counts.get(line.split()[0], 0) + 1
        return counts

    def _listens(self):
        if self.process.poll() is not None:
            raise RuntimeError("nginx did not start")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0
