"""Git repositories served on this machine: over HTTPS, and by a command that stands for ssh."""

import base64
import os
import shlex
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

USER, PASSWORD = "ada", "s3cret"


@dataclass
class Https:
    """A server; ``private`` asks for the password, ``moved`` sends everything elsewhere."""

    url: str
    certificate: Path
    requests: list[str] = field(default_factory=list)
    private: bool = False
    moved: str = ""


@contextmanager
def serve_https(repositories: Path, folder: Path) -> Iterator[Https]:
    """Serves the repositories below a folder, read only, with a certificate of its own."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        + ["-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, served, repositories)

        def do_POST(self) -> None:
            _answer(self, served, repositories)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("localhost", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        served = Https(f"https://localhost:{server.server_port}", certificate)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


def _answer(request: BaseHTTPRequestHandler, served: Https, repositories: Path) -> None:
    """Lets ``git http-backend`` answer, as a web server does by CGI."""
    path, _, query = request.path.partition("?")
    served.requests.append(f"{request.command} {path}")
    given = request.headers.get("Authorization", "")
    expected = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    if served.moved:
        request.send_response(302)
        request.send_header("Location", f"{served.moved}{request.path}")
        request.send_header("Content-Length", "0")
        request.end_headers()
        return
    if served.private and given != expected:
        request.send_response(401)
        request.send_header("WWW-Authenticate", 'Basic realm="team"')
        request.send_header("Content-Length", "0")
        request.end_headers()
        return
    body = request.rfile.read(int(request.headers.get("Content-Length", "0")))
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_PROJECT_ROOT": str(repositories),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
        "REQUEST_METHOD": request.command,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
    }
    done = subprocess.run(
        ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    request.send_response(int(fields.pop("Status", "200").split()[0]))
    for name, value in fields.items():
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    request.wfile.write(content)


def write_ssh(path: Path, says: str = "") -> Path:
    """Writes a command that stands for ssh: it runs what it is to run on the other machine here.

    Its arguments go to a file beside it, a line a call. One that ``says`` something fails with it.
    """
    script = (
        "import os, shlex, sys\n"
        f"with open({str(path) + '.calls'!r}, 'a') as file:\n"
        "    print(shlex.join(sys.argv[1:]), file=file)\n"
        "if '-G' in sys.argv:\n"
        "    sys.exit(0)  # git asks whether this is OpenSSH\n"
        f"if {says!r}:\n"
        f"    sys.exit({says!r})\n"
        "os.execvp('sh', ['sh', '-c', sys.argv[-1]])\n"
    )
    path.with_suffix(".py").write_text(script)
    own = shlex.quote(str(path.with_suffix(".py")))
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {own} "$@"\n')
    path.chmod(0o755)
    return path


def calls(command: Path) -> list[str]:
    """What ``write_ssh`` was called with to fetch something."""
    lines = Path(f"{command}.calls").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if "git-upload-pack" in line]
