"""Batches of images, decoded in threads while the model computes, and remarks on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.images.pictures import Picture, decoded, open_pictures
from eatlas.encoders.images.settings import Pixels, Prepare, shortest_edge
from eatlas.encoders.tokens import require_finite, shown
from eatlas.errors import SourceError
from eatlas.executors import Threads, processors
from eatlas.sources.interface import Answers, Found, Item, cut

AT_ONCE = {"cpu": 32, "cuda": 128, "mps": 64}
"""Images of a batch."""
MOST_THREADS = 8
"""Threads that decode; each holds the pixels of a batch."""
MOST_STRETCHED = 89_478_485
"""Pixels that an image may have once its shortest side is resized: Pillow's own limit."""
REMARKS = {
    "first": "{n} with several frames or pages, of which the first was used, such as {such}.",
    "transparent": "{n} with transparent parts, which were filled with white, such as {such}.",
    "enlarged": "{n} smaller than the input of the model, and enlarged, such as {such}.",
}
"""What a reader should know of images, by the word that is kept with their vectors."""


class Images:
    """What an encoder does with images before its model, and what it has to say of them."""

    def __init__(self, name: str, settings: Mapping[str, Any]) -> None:
        self._name, self._settings = name, settings
        self._remarked: defaultdict[str, set[str]] = defaultdict(set)

    @property
    def notes(self) -> Iterator[str]:
        """What a reader should know of the images, so far."""
        for remark, text in REMARKS.items():
            if paths := self._remarked.get(remark):
                number = "1 image" if len(paths) == 1 else f"{len(paths):,} images"
                yield text.format(n=number, such=shown(min(paths)))

    def note(self, answers: Answers) -> None:
        """Take note of what there is to say of images that were answered, now or before."""
        for one, found in answers.items():
            for remark in found.remarks:
                self._remarked[remark].add(one.called)

    def batches(
        self, items: Collection[Item], at_once: int, prepare: Prepare
    ) -> Iterator[tuple[list[tuple[Item, ...]], list[tuple[str, ...]], Pixels]]:
        """Read and decode images; those of the same bytes once."""
        found = open_pictures(items)
        for picture, _ in found.values():
            self._require_shape(picture)
        pictures = [picture for picture, _ in found.values()]
        with closing(ahead(pictures, at_once, prepare)) as batches:
            for batch, inputs in batches:
                yield (
                    [found[one.content][1] for one in batch],
                    [self._remarks(one) for one in batch],
                    inputs,
                )

    def _require_shape(self, picture: Picture) -> None:
        """Refuse an image so narrow that its other side would be resized beyond all bounds."""
        size = self._settings.get("size")
        edge = size.get("shortest_edge") if isinstance(size, dict) else None
        if not isinstance(edge, int):
            return
        short, long = sorted(picture.size)
        if edge * edge * long > MOST_STRETCHED * short:
            raise SourceError(
                f"{picture.path}: the image is too narrow for this model",
                got=f"{picture.size[0]:,} x {picture.size[1]:,} pixels",
                allowed=f"a longer side of up to {MOST_STRETCHED // edge**2:,} times the shorter "
                f"one, which is resized to {edge}",
                remedy="cut out what matters",
            )

    def _remarks(self, picture: Picture) -> tuple[str, ...]:
        small = min(picture.size) < shortest_edge(self._settings)
        flags = {"first": picture.several, "transparent": picture.transparent, "enlarged": small}
        return tuple(remark for remark, holds in flags.items() if holds)


def answers_of(
    rows: NDArray[np.floating],
    items: Sequence[tuple[Item, ...]],
    remarks: Sequence[tuple[str, ...]],
    where: str,
    precision: str,
) -> dict[Item, Found]:
    """Return a finite vector for each image."""
    require_finite(rows, items, where, precision)
    return {
        one: Found(row, remarks=said)
        for row, several, said in zip(rows, items, remarks, strict=True)
        for one in several
    }


def ahead(
    pictures: Sequence[Picture], at_once: int, prepare: Prepare
) -> Generator[tuple[list[Picture], Pixels], None, None]:
    """Decode batches in threads while the model computes; a few of them wait at a time."""
    batches = list(cut(pictures, at_once))
    threads = Threads(min(processors(), MOST_THREADS, max(1, len(batches))))

    def decode(batch: list[Picture]) -> Pixels:
        rows = []
        for one in batch:
            threads.stop()
            rows.append(prepared(one, prepare))
        return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}

    with closing(threads(decode, batches)) as outcomes:
        for position, inputs in outcomes:
            yield batches[position], inputs


def prepared(picture: Picture, prepare: Prepare) -> Pixels:
    """Decode an image, and make it the input of a model."""
    image = decoded(picture)
    try:
        return prepare(image)
    except Exception as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise SourceError(
            f"{picture.path}: the image processor of the model fails at this image",
            got=f"{picture.size[0]:,} x {picture.size[1]:,} pixels: {said[0][:200]}",
        ) from error
