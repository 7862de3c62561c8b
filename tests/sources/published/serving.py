"""A publisher on this machine: a real HTTP server that can be made to misbehave."""

from __future__ import annotations

import hashlib
import io
import json
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
from tests.served import running

WORDS = ["sun", "moon", "day", "night"]


def text_of(words=WORDS, dim=3, seed=0):
    """Vectors in the text format of GloVe."""
    rows = np.random.default_rng(seed).normal(size=(len(words), dim)).round(4)
    return "".join(
        f"{w} {' '.join(map(str, row))}\n" for w, row in zip(words, rows, strict=True)
    ).encode()


def zip_of(files: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return held.getvalue()


@dataclass
class Publisher:
    """What the server serves, and how badly."""

    files: dict[str, bytes] = field(default_factory=dict)
    etag: str | None = '"one"'
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)
    """After how many bytes the next answers break off."""
    status: int | None = None
    asked: list[str | None] = field(default_factory=list)
    """The Range of each request."""
    hold: threading.Event | None = None
    """Answers wait for it."""
    stall: int | None = None
    """After how many bytes an answer waits for `hold`."""
    lengths: bool = True
    type: str | None = None
    url: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers.get("Range")
        self.asked.append(wanted)
        if self.hold and self.stall is None:
            self.hold.wait(20)
        data = self.files.get(request.path.lstrip("/"))
        if self.status or data is None:
            return request.send_error(self.status or 404)
        start = 0
        condition = request.headers.get("If-Range")
        if wanted and self.ranges and condition in {None, self.etag}:
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= len(data):
                request.send_response(416)
                request.send_header("Content-Length", "0")
                return request.end_headers()
            request.send_response(206)
            request.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        else:
            request.send_response(200)
        if self.etag:
            request.send_header("ETag", self.etag)
        if self.type:
            request.send_header("Content-Type", self.type)
        if self.lengths:
            request.send_header("Content-Length", str(len(data) - start))
        request.end_headers()
        body = data[start:]
        if self.cuts:
            body = body[: self.cuts.pop(0)]
        request.wfile.write(body[: self.stall])
        if self.hold and self.stall is not None:
            self.hold.wait(20)
        request.close_connection = True
        return None


@contextmanager
def serving(publisher: Publisher):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            publisher.answer(self)

        def log_message(self, *_):
            """Say nothing."""

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        publisher.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield publisher


def sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def register(folder: Path, url: str, file: str, *vectors: dict, **more: object) -> None:
    """Add a download to the user's own list, as a user would."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "vectors.toml"
    lines = [] if path.exists() else ["schema = 1"]
    lines += ["[[download]]", f'url = "{url}/{file}"', f'file = "{file}"']
    lines += [f"{key} = {json.dumps(value)}" for key, value in more.items()]
    for each in vectors:
        lines.append("[[download.vectors]]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in each.items()]
    with path.open("a", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
