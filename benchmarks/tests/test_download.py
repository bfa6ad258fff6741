import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from benchmarks.tasks.download import fetch

CONTENT = bytes(range(256)) * 40


class Server(BaseHTTPRequestHandler):
    """Serve CONTENT with ranges; `cut` ends an answer early, and `asked` lists the ranges."""

    cut: ClassVar[int | None] = None
    asked: ClassVar[list[int]] = []

    def do_GET(self):
        start = int(self.headers.get("Range", "bytes=0-")[6:-1])
        self.asked.append(start)
        body = CONTENT[start:]
        if not body:
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.cut])

    def log_message(self, *arguments):
        return


@pytest.fixture
def served():
    handler = type("Handler", (Server,), {"asked": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/table.csv", handler
        server.shutdown()
        thread.join()


def test_a_download_arrives_whole(served, tmp_path):
    address, _ = served
    assert fetch(address, tmp_path / "deep" / "table.csv").read_bytes() == CONTENT


def test_a_broken_download_leaves_no_file_and_is_continued(served, tmp_path):
    address, handler = served
    handler.cut = 1000
    with pytest.raises(ConnectionError, match="ended after 1000 of 10240 bytes"):
        fetch(address, tmp_path / "table.csv")
    assert not (tmp_path / "table.csv").exists()
    handler.cut = None
    assert fetch(address, tmp_path / "table.csv").read_bytes() == CONTENT
    assert handler.asked == [0, 1000]


def test_a_part_that_was_complete_is_accepted(served, tmp_path):
    address, _ = served
    (tmp_path / "table.csv.part").write_bytes(CONTENT)
    assert fetch(address, tmp_path / "table.csv").read_bytes() == CONTENT


def test_offline_the_error_says_what_to_set(tmp_path):
    with pytest.raises(ConnectionError, match=r"not be reached .* set ISOTONE_DATA to a folder that has table\.csv"):
        fetch("http://127.0.0.1:1/table.csv", tmp_path / "table.csv")
