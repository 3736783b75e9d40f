#!/usr/bin/env python3
"""Runs `fakeprop serve` and talks to it as browsers do: its own page, other pages, other specs, a file that changes.

    serve_test.py FAKEPROP
"""
import base64
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
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

    def __init__(self, graph):
        self.process = subprocess.Popen([FAKEPROP, "serve", graph], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
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
            connection.endheaders(None if body is None else body.encode())
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

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

    def test_a_changed_file_is_read_again(self):
        shutil.copyfile(ROOT / "testdata/cli/graphs/small_edited.json", self.graph)
        os.utime(self.graph, (time.time() + 5, time.time() + 5))
        self.assertEqual(self.served.state()["version"], 2)
        self.assertEqual(self.served.shape("zeros"), [4])
        self.graph.write_text("{")
        os.utime(self.graph, (time.time() + 10, time.time() + 10))
        self.assertIn("error[", self.served.state()["trouble"])
        self.assertEqual(self.served.shape("zeros"), [4])


if __name__ == "__main__":
    unittest.main()
