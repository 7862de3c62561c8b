"""Encoding images with ViT-B/32 and ViT-B/16, beside the bare model and a plain loop.

Run: python benchmarks/images.py [IMAGES]. The weights are random, which takes as long as trained
ones; images are JPEG files of 500 x 375 pixels, drawn for the occasion. Three ways by turns,
several rounds, one process:

- eatlas: files in, vectors out (reading, decoding, preparation, batches, pooling; no cache);
- the bare forward pass of the model on the same batches of pixels, made beforehand;
- the loop of published code: one image at a time, opened, prepared and encoded.

Prints images a second of each, and the ratios: of the best round, as a busy machine only takes time
away. Then the peak memory of processes that encode 100 and 870 images, and how long a second run
takes, whose vectors are kept: both of the whole process.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from PIL import Image

import eatlas
from eatlas.encoders.images.batches import AT_ONCE, prepared
from eatlas.encoders.images.pictures import read_head
from eatlas.encoders.images.settings import preparing
from eatlas.encoders.loading import load
from eatlas.sources.protocol import Item

ROUNDS = int(os.environ.get("ROUNDS", "3"))
MODELS = {"ViT-B/32": 32, "ViT-B/16": 16}
SIZE = (500, 375)


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
    loaded = load(source._model)
    prepare = preparing(loaded.processor, loaded.takes)
    rows = [prepared(read_head(Path(one.content)), prepare)["pixel_values"] for one in items]
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
            prepared(read_head(Path(one.content)), prepare)

    return {
        "bare": bare,
        "eatlas": lambda: source.encode(items),
        "loop": loop,
        "decoding": preparation,
    }


def compare(name, model, items):
    several = ways(opened(model, "&cache=no"), items)
    print(f"{name}, {len(items)} images, {torch.get_num_threads()} threads, ", end="")
    print(f"load {os.getloadavg()[0]:.1f}")
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
        print(f"  {way} takes {best[way] / best['eatlas']:.2f} times as long as eatlas")


def in_a_process(model, folder, count, cache):
    """Peak memory in MB and seconds of a process that encodes so many images."""
    begun = time.perf_counter()
    command = [sys.executable, __file__, "--encode", str(model), str(folder), str(count), cache]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(said.split()[-1]), time.perf_counter() - begun


def encode(model, folder, count, cache):
    source = opened(model, f"&cache={cache}")
    found = source.encode(items_of(Path(folder), int(count)))
    if len(found) != int(count):
        raise SystemExit(f"{len(found)} of {count} images have a vector")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main():
    count = int(sys.argv[1]) if sys.argv[1:] else 192
    with TemporaryDirectory() as there:
        images = Path(there) / "images"
        images.mkdir()
        draw(images, max(count, 870))
        os.environ["EATLAS_CACHE"] = str(Path(there) / "cache")
        for name, patch in MODELS.items():
            write_model(model := Path(there) / str(patch), patch)
            compare(name, model, items_of(images, count))
        model = Path(there) / "32"
        for number in (100, 870):
            peak, seconds = in_a_process(model, images, number, "no")
            print(f"{number} images: peak of {peak:,.0f} MB, {seconds:.1f} s")
        for run in ("first", "second"):
            peak, seconds = in_a_process(model, images, 870, "yes")
            print(f"870 images, {run} run with the cache: {peak:,.0f} MB, {seconds:.2f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--encode"]:
        encode(*sys.argv[2:])
    else:
        main()
