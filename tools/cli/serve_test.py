#!/usr/bin/env python3
"""Runs `fakeprop serve` and talks to it as browsers do: its own page, other pages, other specs, a file that changes.

    serve_test.py FAKEPROP
"""
import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import zlib

ROOT = pathlib.Path(os.environ.get("TEST_SRCDIR", pathlib.Path(__file__).resolve().parents[2]), os.environ.get("TEST_WORKSPACE", "."))
FAKEPROP = os.path.abspath(sys.argv.pop(1))


def data_of(page):
    """What a page knows of its graph."""
    text = re.search(r'id="data" data-bytes="\d+">([^<]*)<', page).group(1)
    return json.loads(zlib.decompress(base64.b64decode(text)))


class Served:
    """A server with its address, and requests to it."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([FAKEPROP, "serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.line = self.process.stdout.readline()
        self.url = urllib.parse.urlsplit(self.line.split()[0])
        self.token = urllib.parse.parse_qs(self.url.query)["token"][0]

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def ask(self, path="/", method="GET", body=None, token=True, **headers):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.url.port, timeout=20)) as connection:
            connection.putrequest(method, path, skip_host=True)
            connection.putheader("Host", headers.pop("Host", self.url.netloc))
            if token:
                connection.putheader("X-Fakeprop-Token", self.token)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body.encode() if isinstance(body, str) else body)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def send(self, data):
        """What comes back for these bytes, on a connection that then ends."""
        with socket.create_connection(("127.0.0.1", self.url.port), timeout=20) as connection:
            with contextlib.suppress(OSError):  # it may hang up before it has read all
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            with contextlib.suppress(OSError):
                while piece := connection.recv(65536):
                    answer += piece
            return answer

    def state(self):
        return json.loads(self.ask("/state")[1])

    def shape(self, node):
        nodes = data_of(self.ask()[1])["annotations"]["nodes"]
        return next(each for each in nodes if each["name"] == node)["meta"]["val"]["shape"]


class Serve(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.graph = pathlib.Path(folder.name) / "small.json"
        shutil.copyfile(ROOT / "testdata/cli/graphs/small.json", self.graph)
        self.served = Served(self.graph)
        self.addCleanup(self.served.close)

    def test_listens_on_this_machine_alone(self):
        self.assertEqual(self.served.url.hostname, "127.0.0.1")
        self.assertIn(str(self.graph), self.served.line)
        self.assertEqual(len(self.served.token), 32)

    def test_gives_the_page_to_who_has_the_url(self):
        status, page = self.served.ask(f"/?token={self.served.token}", token=False)
        self.assertEqual(status, 200)
        self.assertIn("connect-src 'self'", page)
        self.assertEqual(data_of(page)["format"], "fakeprop.report/1")

    def test_refuses_everybody_else(self):
        port = self.served.url.port
        for what, ask in {
            "no token": {"token": False}, "another token": {"token": False, "X-Fakeprop-Token": "0" * 32},
            "another host": {"Host": f"evil.example:{port}"}, "another port": {"Host": "127.0.0.1:1"},
            "another origin": {"Origin": "http://evil.example"}, "a file's origin": {"Origin": "null"},
        }.items():
            for path, method, body in ("/", "GET", None), ("/state", "GET", None), ("/spec", "GET", None), ("/spec", "POST", "{}"):
                status, text = self.served.ask(path, method, body, **ask)
                self.assertEqual(status, 403, f"{what}: {method} {path}")
                self.assertNotIn("fakeprop.", text, what)
        self.assertEqual(self.served.state()["version"], 1)

    def test_another_spec_shows_at_once(self):
        spec = json.loads(self.served.ask("/spec")[1])
        self.assertEqual(self.served.shape("mul"), [2, 7])
        spec["inputs"]["x"]["shape"] = [5, 7]
        start = time.monotonic()
        status, trouble = self.served.ask("/spec", "POST", json.dumps(spec))
        self.assertEqual((status, trouble), (200, ""))
        self.assertEqual(self.served.shape("mul"), [5, 7])
        self.assertLess(time.monotonic() - start, 5)  # some milliseconds where nothing else runs
        self.assertEqual(self.served.state()["version"], 2)

    def test_a_wrong_spec_changes_nothing(self):
        status, trouble = self.served.ask("/spec", "POST", '{"format": "fakeprop.inputs/1", "inputs": {"z": {}}}')
        self.assertEqual(status, 400)
        self.assertIn("error[", trouble)
        self.assertEqual(self.served.shape("mul"), [2, 7])
        self.assertEqual(self.served.state(), {"version": 1, "trouble": ""})

    def change(self, path, text):
        """Writes the file so that its time differs, however coarse the clock is."""
        self.changes = getattr(self, "changes", 0) + 1
        path.write_text(text)
        os.utime(path, (time.time() + 5 * self.changes,) * 2)

    def test_a_changed_file_is_read_again(self):
        self.change(self.graph, (ROOT / "testdata/cli/graphs/small_edited.json").read_text())
        self.assertEqual(self.served.state()["version"], 2)
        self.assertEqual(self.served.shape("zeros"), [4])
        self.change(self.graph, "{")
        self.assertIn("error[", self.served.state()["trouble"])
        self.assertEqual(self.served.shape("zeros"), [4])

    def test_a_file_may_go_and_come_back(self):
        text = self.graph.read_text()
        self.graph.unlink()
        self.assertIn("no such file", self.served.state()["trouble"])
        # A spec cannot help, and what is wrong is still said afterwards.
        self.assertEqual(self.served.ask("/spec", "POST", self.served.ask("/spec")[1])[0], 400)
        self.assertIn("no such file", self.served.state()["trouble"])
        self.assertEqual(self.served.shape("mul"), [2, 7])
        self.change(self.graph, text)
        self.assertEqual(self.served.state(), {"version": 2, "trouble": ""})

    def test_a_changed_spec_is_read_again(self):
        spec = json.loads(self.served.ask("/spec")[1])
        file = self.graph.parent / "spec.json"
        file.write_text(json.dumps(spec))
        served = Served(self.graph, "--inputs", file)
        self.addCleanup(served.close)
        self.assertEqual(served.shape("mul"), [2, 7])
        spec["inputs"]["x"]["shape"] = [6, 7]
        self.change(file, json.dumps(spec))
        self.assertEqual(served.state()["version"], 2)
        self.assertEqual(served.shape("mul"), [6, 7])
        spec["inputs"]["x"]["shape"] = [5, 7]
        self.assertEqual(served.ask("/spec", "POST", json.dumps(spec))[0], 200)
        self.assertEqual(served.shape("mul"), [5, 7])
        # The graph changes, the spec of the page stays.
        self.change(self.graph, (ROOT / "testdata/cli/graphs/small_edited.json").read_text())
        self.assertEqual((served.shape("mul"), served.shape("zeros")), ([5, 7], [4]))
        self.change(file, "{")
        self.assertIn("spec.json", served.state()["trouble"])
        self.assertEqual(served.shape("mul"), [5, 7])

    def test_odd_specs_are_refused(self):
        deep = "[" * 200000
        for spec in "", "{", deep, b"\xff\xfe{", '{"format": 7}', "null", "[]", json.dumps({"format": "fakeprop.inputs/1", "inputs": {"x": {"shape": [10**30]}}}):
            status, trouble = self.served.ask("/spec", "POST", spec)
            if spec == "":
                self.assertEqual(status, 200)  # the inputs as the file recorded them
                continue
            self.assertEqual(status, 400, spec[:40])
            self.assertIn("error[", trouble, spec[:40])
        self.assertEqual(self.served.shape("mul"), [2, 7])

    def test_odd_requests_end_nothing(self):
        own = f"Host: {self.served.url.netloc}\r\nX-Fakeprop-Token: {self.served.token}\r\n".encode()
        post = b"POST /spec HTTP/1.1\r\n" + own
        for data in (
            b"", b"\r\n\r\n", b"\0" * 5000, b"hello\r\n\r\n", b"GET / HTTP/1.1\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: " + b"a" * 100000 + b"\r\n\r\n", b"GET / HTTP/1.1\r\n" + own + b"Host: evil.example\r\n\r\n",
            b"GET /../../etc/passwd HTTP/1.1\r\n" + own + b"\r\n", b"GET /%00%ff%zz HTTP/1.1\r\n" + own + b"\r\n", b"BREW / HTTP/1.1\r\n" + own + b"\r\n",
            post + b"Content-Length: 99999999999999999999\r\n\r\n", post + b"Content-Length: -1\r\n\r\n", post + b"Content-Length: 20\r\n\r\nshort",
            post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", post + b"Content-Length: 33554432\r\n\r\n" + b" " * 33554432,
            b"".join(b"GET / HTTP/1.1\r\nX-%d: y\r\n" % i for i in range(5000)),
        ):
            answer = self.served.send(data)
            self.assertNotIn(b" 200 ", answer.split(b"\r\n")[0], data[:60])
        self.assertEqual(self.served.state(), {"version": 1, "trouble": ""})

    def test_many_at_once(self):
        spec = json.loads(self.served.ask("/spec")[1])
        def change(rows):
            own = json.loads(json.dumps(spec))
            own["inputs"]["x"]["shape"] = [rows, 7]
            return self.served.ask("/spec", "POST", json.dumps(own))[0], self.served.shape("mul")[1], self.served.ask("/state", token=False)[0]
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            self.assertEqual(set(pool.map(change, range(2, 42))), {(200, 7, 403)})
        self.assertEqual(self.served.state()["version"], 41)

    def test_says_that_a_port_is_taken(self):
        ran = subprocess.run([FAKEPROP, "serve", self.graph, "--port", str(self.served.url.port)], capture_output=True, text=True, check=False, timeout=20)
        self.assertEqual(ran.returncode, 2)
        self.assertIn(f"cannot listen on port {self.served.url.port}", ran.stderr)

    def test_ends_at_once_and_leaves_its_port(self):
        port = self.served.url.port
        with socket.create_connection(("127.0.0.1", port)):  # a browser that keeps its connection
            self.served.ask()
            self.served.process.send_signal(signal.SIGINT)
            self.assertEqual(self.served.process.wait(timeout=10), -signal.SIGINT)
        again = Served(self.graph, "--port", str(port))
        self.addCleanup(again.close)
        self.assertEqual(again.url.port, port)
        self.assertEqual(again.ask(token=False)[0], 403)
        self.assertEqual(again.ask()[0], 200)


if __name__ == "__main__":
    unittest.main()
