"""A real nginx asks Weir, set up with deploy/nginx as it is shipped: the README's own server block is what runs here.

WEIR names the binary.
"""

import http.client
import http.server
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from support.server import WeirServer, free_port  # noqa: E402

SHIPPED = ROOT / "deploy" / "nginx"
POLICY = """
domain: web
trusted_proxies: [127.0.0.1]
rules:
  - name: login
    match: {endpoint: /login}
    key: [ip]
    limit: {quota: 5, per: 1h}
  - name: closed
    match: {endpoint: /closed}
    key: []
    limit: {quota: 0, per: 1h}
  - name: posts
    match: {endpoint: /posts, method: POST}
    key: [ip]
    limit: {quota: 1, per: 1h}
"""


class Backend(http.server.BaseHTTPRequestHandler):
    """The application: 200 for everything but /forbidden, which it forbids itself."""

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        body = b"hello\n"
        self.send_response(403 if self.path == "/forbidden" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass


def server_block():
    """The nginx configuration that the README tells people to write."""
    text = (SHIPPED / "README.md").read_text()
    block = re.search(r"```nginx\n(.*?)```", text, re.S).group(1)
    return block


class Nginx:
    """One nginx with a folder of its own."""

    def __init__(self, folder, weir_port, backend_port, extra=""):
        self.port = free_port()
        for name in ("weir.conf", "weir-upstream.conf"):
            text = (SHIPPED / name).read_text()
            folder.joinpath(name).write_text(text.replace("127.0.0.1:8080", f"127.0.0.1:{weir_port}"))
        block = server_block()
        block = block.replace("/etc/nginx/weir/", f"{folder}/").replace("listen 80;", f"listen 127.0.0.1:{self.port};")
        block = block.replace("127.0.0.1:3000", f"127.0.0.1:{backend_port}")
        block = re.sub(r"(\n\s*)location / \{", lambda m: f"{m.group(1)}{extra}{m.group(0)}", block, count=1)
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config = (f"daemon off;\nworker_processes 1;\npid {folder}/nginx.pid;\nerror_log {folder}/error.log warn;\n"
                  f"events {{ worker_connections 256; }}\n"
                  + block.replace("http {", f"http {{\naccess_log off;\n{temporary}", 1))
        path = folder / "nginx.conf"
        path.write_text(config)
        self.process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-p", str(folder), "-c", str(path)],
                                        stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while True:
            if self.process.poll() is not None:
                raise AssertionError(self.process.stderr.read() + config)
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def ask(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body=b"x" * 10 if method == "POST" else None, headers=headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        connection.close()
        return answer

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.process.stderr.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-nginx-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        backend = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Backend)
        threading.Thread(target=backend.serve_forever, daemon=True).start()
        self.addCleanup(backend.server_close)
        self.addCleanup(backend.shutdown)
        self.backend_port = backend.server_address[1]
        policy = self.folder / "policy.yaml"
        policy.write_text(POLICY)
        self.weir = WeirServer("--policy", policy)
        self.addCleanup(self.weir.stop)

    def nginx(self, extra=""):
        nginx = Nginx(self.folder, self.weir.port, self.backend_port, extra)
        self.addCleanup(nginx.stop)
        return nginx


class Shipped(Case):
    def test_e76_a_denial_is_a_429_with_retry_after(self):
        nginx = self.nginx()
        for left in (4, 3, 2, 1, 0):
            answer = nginx.ask("/login?user=a")
            self.assertEqual((answer.status, answer.text), (200, "hello\n"))
            self.assertRegex(answer.headers["RateLimit"], rf'^"login";r={left};t=\d+$')
            self.assertEqual(answer.headers["RateLimit-Policy"], '"login";q=5;w=3600')
        denied = nginx.ask("/login?user=b")
        self.assertEqual(denied.status, 429)
        (wait,) = denied.headers.get_all("Retry-After")
        self.assertIn(int(wait), range(600, 721))
        self.assertEqual(denied.headers.get_all("RateLimit"), [f'"login";r=0;t={wait}'])
        self.assertEqual(denied.headers["Content-Type"], "application/problem+json")
        self.assertIn('"status":429', denied.text)
        self.assertEqual(nginx.ask("/").status, 200)

    def test_what_never_passes_has_no_retry_after(self):
        denied = self.nginx().ask("/closed")
        self.assertEqual((denied.status, denied.headers["Retry-After"]), (429, None))

    def test_the_method_and_the_body_are_the_clients(self):
        nginx = self.nginx()
        self.assertEqual([nginx.ask("/posts", method).status for method in ("POST", "GET", "POST", "GET")],
                         [200, 200, 429, 200])

    def test_a_client_can_not_say_who_it_is(self):
        nginx = self.nginx()
        answers = [nginx.ask("/login", **{"X-Forwarded-For": f"203.0.113.{i}", "X-Original-URI": "/",
                                          "X-Original-Method": "PUT"}).status for i in range(7)]
        self.assertEqual(answers, [200] * 5 + [429] * 2)

    def test_what_else_a_client_sends_does_not_reach_weir(self):
        nginx = self.nginx()
        for headers in ({"X-Forwarded-Uri": "/z"}, {"X-Forwarded-Method": "POST"},
                        {f"X-Header-{i}": "v" for i in range(90)}, {"X-Long": "v" * 7000, "X-Longer": "v" * 7000,
                                                                    "X-Longest": "v" * 7000}):
            self.assertEqual(nginx.ask("/closed", **headers).status, 429)
            self.assertEqual(nginx.ask("/", **headers).status, 200)

    def test_the_backends_own_403_stays(self):
        answer = self.nginx().ask("/forbidden")
        self.assertEqual((answer.status, answer.text), (403, "hello\n"))

    def test_without_weir_requests_pass(self):
        nginx = self.nginx()
        self.weir.stop()
        self.assertEqual([nginx.ask("/login").status for _ in range(7)], [200] * 7)


class Return(Case):
    def test_e77_return_in_a_guarded_location_is_never_asked_about(self):
        """What the warning in deploy/nginx says, so that it is dropped if nginx ever changes."""
        nginx = self.nginx(extra="location = /closed { return 200 'let in'; }\n        ")
        self.assertEqual(nginx.ask("/closed").status, 200)

    def test_e77_no_guarded_location_that_is_shipped_returns(self):
        block = server_block()
        self.assertNotIn("return", block)
        shipped = re.sub(r"#.*", "", (SHIPPED / "weir.conf").read_text())
        for name, body in re.findall(r"location ([^{]+)\{([^}]*(?:\{[^}]*\}[^}]*)*)\}", shipped):
            if re.search(r"\breturn\b", body):
                self.assertTrue(name.strip().startswith("@") and "internal;" in body, name)


if __name__ == "__main__":
    unittest.main()
