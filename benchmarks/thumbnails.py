"""Thumbnails: processor time and bytes an image, beside decoding the same files by Pillow alone.

Run with ``python benchmarks/thumbnails.py``. The files are JPEG of 500 by 400 pixels that are drawn
here. A thumbnail takes reading, decoding, shrinking and JPEG anew.
"""

from __future__ import annotations

import platform
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from eatlas.present.sections import small_jpeg

IMAGES, RUNS = 200, 3


def drawn(folder: Path) -> list[Path]:
    """Files."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(IMAGES):
        noise = Image.fromarray(rng.integers(0, 256, (40, 50, 3), dtype=np.uint8))
        path = folder / f"{number}.jpg"
        noise.resize((500, 400)).save(path, quality=85)
        found.append(path)
    return found


def best(run) -> float:
    """Processor time of the quickest of several runs, in milliseconds an image."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return 1000 * min(times) / IMAGES


def main() -> None:
    """Print both times, their ratio, and the bytes."""
    with tempfile.TemporaryDirectory() as folder:
        files = drawn(Path(folder))
        ours = best(lambda: [small_jpeg(path.read_bytes()) for path in files])
        bare = best(lambda: [Image.open(path).convert("RGB") for path in files])
        sizes = [4 * len(small_jpeg(path.read_bytes())) // 3 for path in files]
    print(f"{platform.machine()}, Python {platform.python_version()}, {IMAGES} images")
    print(f"thumbnail {ours:.2f} ms, bare decoding {bare:.2f} ms, ratio {ours / bare:.2f}")
    print(f"bytes in a page: {np.mean(sizes):,.0f} on average, {max(sizes):,} at most")


if __name__ == "__main__":
    main()
