"""Encoding images with ViT-B/32 and ViT-B/16, beside the bare model and a plain loop.

Run: python benchmarks/images.py [IMAGES]. The weights are random, which takes as long as trained
ones; images are JPEG files of 500 x 375 pixels, drawn for the occasion. Three ways by turns,
several rounds, one process:

- eatlas: files in, vectors out (reading, decoding, preparation, batches, pooling; no cache);
- the bare forward pass of the model on the same batches of pixels, made beforehand;
- the loop of published code: one image at a time, opened, prepared and encoded.

Prints images a second of each, and the ratios: of the best round, as a busy machine only takes time
away. Then seconds and peak memory of whole runs of `eatlas run` with 100 and 870 images, and of a
second one whose vectors are kept.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from PIL import Image

import eatlas
from eatlas.encoders.images import AT_ONCE, preprocess, read_head
from eatlas.sources.source import Item

ROUNDS = int(os.environ.get("ROUNDS", "3"))
MODELS = {"ViT-B/32": 32, "ViT-B/16": 16}
SIZE = (500, 375)
RUNS = (100, 870)
"""Images of whole runs, whose memory is compared."""


def draw(folder, count):
    """Write photographs of nothing: smooth colours with grain, as large as those of ImageNet."""
    rng = np.random.default_rng(0)
    for number in range(count):
        coarse = Image.fromarray(rng.integers(0, 255, (12, 16, 3), np.uint8)).resize(SIZE, 3)
        grain = rng.normal(0, 12, (*SIZE[::-1], 3))
        pixels = np.clip(np.asarray(coarse) + grain, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:04}.jpg", quality=90)


def write_model(folder, patch):
    folder.mkdir()
    half = [0.5, 0.5, 0.5]
    config = {
        "architectures": ["ViTModel"], "model_type": "vit", "hidden_size": 768,
        "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
        "image_size": 224, "patch_size": patch, "num_channels": 3,
    }  # fmt: skip
    processor = {
        "image_processor_type": "ViTImageProcessor", "size": {"height": 224, "width": 224},
        "do_resize": True, "do_rescale": True, "do_normalize": True, "resample": 3,
        "image_mean": half, "image_std": half, "rescale_factor": 1 / 255,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "preprocessor_config.json").write_text(json.dumps(processor))


def items_of(folder, count):
    paths = sorted(folder.glob("*.jpg"))[:count]
    return [Item(str(path), kind="image", name=path.name) for path in paths]


def opened(model, options=""):
    return eatlas.open_vectors(f"hf:{model}?weights=random&device=cpu{options}")


def ways(source, items):
    """Return the three ways by name, each to be called, and what preparation takes by itself."""
    loaded = source.loaded
    how = loaded.processor, loaded.takes
    rows = [preprocess(read_head(Path(one.content)), *how)["pixel_values"] for one in items]
    pixels = torch.from_numpy(np.concatenate(rows))
    ready = pixels.split(AT_ONCE["cpu"])

    def bare():
        with torch.inference_mode():
            for batch in ready:
                loaded.module(pixel_values=batch)

    def loop():
        with torch.inference_mode():
            for one in items:
                image = Image.open(one.content).convert("RGB")
                inputs = loaded.processor(images=image, return_tensors="pt")
                loaded.module(**inputs).last_hidden_state[0, 0].numpy()

    def preparation():
        for one in items:
            preprocess(read_head(Path(one.content)), *how)

    return {
        "bare": bare,
        "eatlas": lambda: source.encode(items),
        "loop": loop,
        "decoding": preparation,
    }


def compare(name, model, items):
    several = ways(opened(model, "&cache=no"), items)
    print(f"{name}, {len(items)} images, {torch.get_num_threads()} threads, ", end="")
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    several["bare"]()
    seen = {name: [] for name in several}
    for _ in range(ROUNDS):
        for way, work in several.items():
            begun = time.perf_counter()
            work()
            seen[way].append(time.perf_counter() - begun)
    best = {way: min(times) for way, times in seen.items()}
    for way, wall in best.items():
        print(f"  {way:9} {wall:7.2f} s  {len(items) / wall:6.1f} images a second")
    for way in ("bare", "loop"):
        print(f"  {way} takes {best[way] / best['eatlas']:.2f} times as long as eatlas", flush=True)


def write_test(there, images, count):
    """Write a test of as many images, in folders of four concepts."""
    concepts = {}
    for number, role in enumerate("XYAB"):
        folder = there / f"{count}-{role}"
        folder.mkdir()
        for path in sorted(images.glob("*.jpg"))[:count][number::4]:
            (folder / path.name).hardlink_to(path)
        concepts[role] = f'{role} = {{ name = "{role}", images = "{folder.name}/*.jpg" }}'
    lines = ["schema = 1", "[[test]]", f'id = "images-{count}"', *concepts.values()]
    file = there / f"{count}.toml"
    file.write_text("\n".join(lines))
    return file


def run(there, test, model, cache):
    """Seconds and peak memory in MB of ``eatlas run`` as a process."""
    vectors = f"hf:{model}?weights=random&device=cpu&cache={cache}"
    code = "from eatlas.cli import main; main()"
    command = [sys.executable, "-c", code, "run", "--tests", str(test), "--vectors", vectors]
    begun = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--out", str(there / "out")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"eatlas run ends with {status}")
    wall = time.perf_counter() - begun
    cpu = used.ru_utime + used.ru_stime
    return f"{wall:.2f} s ({cpu:.2f} of CPU), {used.ru_maxrss / 1024:,.0f} MB"


def main():
    count = int(sys.argv[1]) if sys.argv[1:] else 192
    chosen = os.environ.get("MODELS", ",".join(MODELS)).split(",")
    with TemporaryDirectory() as folder:
        there = Path(folder)
        images = there / "images"
        images.mkdir()
        draw(images, max(count, *RUNS))
        os.environ["EATLAS_CACHE"] = str(there / "cache")
        for name, patch in MODELS.items():
            write_model(there / str(patch), patch)
            if name in chosen:
                compare(name, there / str(patch), items_of(images, count))
        model = there / "32"
        for number in RUNS:
            test = write_test(there, images, number)
            print(
                f"eatlas run, {number} images, no cache: {run(there, test, model, 'no')}",
                flush=True,
            )
        for which in ("first", "second", "third"):
            print(
                f"eatlas run, {number} images, {which}: {run(there, test, model, 'yes')}",
                flush=True,
            )


if __name__ == "__main__":
    main()
