"""Results arranged for the page: where each stands, what templates ask of it, and thumbnails.

Results hold no images, but the hash and the name of each. A page shows the first ones of each
group whose files are in the folders that are named: found by their bytes, made small, each once.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePath

from markupsafe import Markup

from eatlas.errors import ResultsError
from eatlas.present.columns import (
    targets_table,
)
from eatlas.present.drawings.eat_map import PATTERNS, SYMBOL, eat_map
from eatlas.present.drawings.rows import row_of
from eatlas.present.drawings.svg import share_bar
from eatlas.present.effects import levels_of, shares_of, short_name
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import findings_of
from eatlas.present.rendering import FILTERS
from eatlas.present.sentences import (
    numbers,
    sentence,
    statement,
)
from eatlas.present.text import clean, isolate
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.finding import Finding
from eatlas.results.settings import Settings
from eatlas.stimuli import TARGETS

PAGE = frozenset((
    "main", "in-brief", "findings", "over-time", "summary", "sources", "prompts", "layers",
    "levels", "weights", "windows", "distances", "reading", "details", "not-measured",
    "unreadable", "paper", "glossary", "methods-text", "bibtex-text", "search",
    "source-filter", "test-filter", "verdict-filter", "shown", "theme",
))  # fmt: skip
"""Ids that the page itself needs."""
SERIES, TITLE = "series-", "-title"
"""How the ids of the page's series begin, and those of its headings end."""
LONGEST_ID = 80
FIGURE, HALF = 720.0, 520.0
"""Pixels of a figure of a result, and of one beside another."""
THUMBNAIL, QUALITY = 48, 78
"""Pixels of the longer side of a thumbnail, 1.0 to 1.6 kB as JPEG."""
SHOWN = 4
"""Thumbnails of a group."""
OF_IMAGES = "image-"
"""How the ids of thumbnails begin."""
_HASH = re.compile(r" \([0-9a-f]{8}\)$")

Folders = str | Path | Iterable[str | Path]
"""Folders or files."""


@dataclass(frozen=True)
class Section:
    """A result in a page: where it stands, and what it is called beside the others."""

    anchor: str
    """Id of the section, the target of the summary's link."""
    result: AssociationResult
    family: DeclaredFamily
    settings: Settings
    """What sources, and settings of several results, are called."""
    finding: Finding
    """What the result shows, adjusted over the tests of the page."""

    @cached_property
    def levels(self) -> list[Effect]:
        """The effect sizes of the result as a whole, with what the finding says of each."""
        return levels_of(self.result, self.finding)

    @cached_property
    def has_tests(self) -> bool:
        """Whether there are effect sizes d, with p-values; other numbers have none."""
        return any(effect.symbol == "d" for effect in self.levels)

    @property
    def source_name(self) -> str:
        """The source with its year, as a person calls it."""
        dated = self.result.period is not None and not self.result.member
        year = f", {self.result.period}" if dated else ""
        return self.settings.place(self.result) + year


def sections(results: Iterable[AssociationResult], family: DeclaredFamily) -> list[Section]:
    """One section for each result, in their order."""
    every = list(results)
    settings = Settings.from_results(every)
    ids = anchors(result.test for result in every)
    shown = findings_of(every)
    return [
        Section(anchor, result, family, settings, finding)
        for anchor, result, finding in zip(ids, every, shown, strict=True)
    ]


def anchors(tests: Iterable[str]) -> list[str]:
    """Where links lead: one id for each result, no two alike, and none of the page's own."""
    taken, ids = set(PAGE), []
    for test in tests:
        name = re.sub(r"[^\w.-]+", "-", test).strip("-")[:LONGEST_ID] or "test"
        if name.startswith((SYMBOL, OF_IMAGES, SERIES)) or name.endswith(TITLE):
            name = f"test-{name}."
        chosen, number = name, 1
        while chosen in taken:
            number += 1
            chosen = f"{name}-{number}"
        taken.add(chosen)
        ids.append(chosen)
    return ids


def source_of(result: AssociationResult) -> str:
    """The source and, in a series, its year; of contexts, how much of a text they hold."""
    year = "" if result.period is None else f", {result.period}"
    size = result.contexts and result.contexts.size
    return f"{result.source}{year}{f', {size}' if size else ''}"


def distinct(values: Iterable[str]) -> list[str]:
    """Return each value once, in order of first appearance."""
    return list(dict.fromkeys(values))


def score_unit(result: AssociationResult) -> str:
    """What a score belongs to: "term" or "stimulus"."""
    in_contexts = any(map(result.contexts_of, result.coverage))
    return "stimulus" if result.over_stimuli or in_contexts else "term"


def patterns_seen(result: AssociationResult) -> list[tuple[str, float, float]]:
    """Label, share and its error of patterns that were seen, largest share first."""
    (shares, errors), own = shares_of(result), result.primary.label
    seen = [label for label in PATTERNS if shares.get(label) or (shares and label == own)]
    seen.sort(key=lambda label: -shares.get(label, 0.0))
    return [(label, shares.get(label, 0.0), errors.get(label, 0.0)) for label in seen]


def images_of(
    result: AssociationResult, role: str, thumbnails: Mapping[str, tuple[str, str]]
) -> list[tuple[str, str]]:
    """Id and words of the thumbnails of a group."""
    group, concept = result.coverage[role], isolate(result.concepts[role])
    return [
        (thumbnails[sha256][0], f"{isolate(term)}, image of {concept}")
        for term, sha256 in islice(group.image.items(), SHOWN)
        if sha256 in thumbnails
    ]


def thumbnails_of(
    images: Folders | None, results: Iterable[AssociationResult]
) -> dict[str, tuple[str, str]]:
    """Id and data of thumbnails of results by the hash of the image, of files that are found."""
    if images is None:
        return {}
    folders = list(map(Path, [images] if isinstance(images, str | Path) else images))
    if missing := [folder for folder in folders if not folder.exists()]:
        raise ResultsError(
            f"{missing[0]}: there is no such folder of images",
            allowed="folders with the images of the tests, or their files",
        )
    wanted: dict[str, set[str]] = {}  # hashes by the names of files
    for result in results:
        for group in result.coverage.values():
            for term, sha256 in islice(group.image.items(), SHOWN):
                # a term may begin with folders, or end with a hash
                wanted.setdefault(PurePath(_HASH.sub("", term)).name, set()).add(sha256)
    made: dict[str, tuple[str, str]] = {}
    for folder in folders:
        for path in [folder] if folder.is_file() else sorted(folder.rglob("*")):
            content = _file_bytes(path) if path.name in wanted else b""
            sha256 = hashlib.sha256(content).hexdigest()
            if sha256 not in wanted.get(path.name, ()) or sha256 in made:
                continue
            if small := small_jpeg(content):
                uri = f"data:image/jpeg;base64,{b64encode(small).decode()}"
                made[sha256] = f"{OF_IMAGES}{len(made)}", uri
    return made


def _file_bytes(path: Path) -> bytes:
    """The bytes of a file; none where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def small_jpeg(content: bytes) -> bytes:
    """A small JPEG of an image, upright, on white where it is transparent; empty if none."""
    try:
        from PIL import Image, ImageOps  # noqa: PLC0415  (of pages with images alone)
    except ImportError as error:
        raise ResultsError(
            "thumbnails of images need Pillow",
            remedy="pip install 'eatlas[clip]', or leave the folder of images out",
        ) from error
    small = BytesIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # decompression bombs, and what is damaged
            with Image.open(BytesIO(content)) as drawn:
                drawn.draft("RGB", (4 * THUMBNAIL, 4 * THUMBNAIL))
                image = ImageOps.exif_transpose(drawn).convert("RGBA")
            image.thumbnail((THUMBNAIL, THUMBNAIL))
            flat = Image.new("RGB", image.size, "white")
            flat.paste(image, mask=image.getchannel("A"))
            flat.save(small, "JPEG", quality=QUALITY, optimize=True)
    except (OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError):
        return b""
    return small.getvalue()


def mark_targets(sentence: str, result: AssociationResult) -> list[str | dict[str, str]]:
    """A finding in which the names of both targets have the marks of their effect sizes."""
    text, concepts = clean(sentence), result.concepts
    if result.kind != "association" or not set(TARGETS) <= set(concepts):
        return [text]
    # attributes are looked for too: their names may hold the name of a target
    roles = {short_name(concepts[role]): role for role in reversed(list(concepts))}
    names = "|".join(map(re.escape, sorted(roles, key=len, reverse=True)))
    marks, shown = (
        {"X": "●\N{NO-BREAK SPACE}", "Y": "■\N{NO-BREAK SPACE}"},
        list[str | dict[str, str]](),
    )
    for number, part in enumerate(re.split(rf"(?<!\w)({names})(?!\w)", text)):
        role = roles[part] if number % 2 else ""
        if role in TARGETS:
            mark = marks.pop(role, "")
            shown.append({f"span.{role.lower()}": mark + part})
        elif part:
            shown.append(part)
    return shown


# what templates ask of a result
FILTERS.update({
    function.__name__: function
    for function in (
        mark_targets, numbers, patterns_seen, row_of, sentence, share_bar, targets_table,
    )
})  # fmt: skip
FILTERS["eat_map"] = lambda result: Markup(eat_map(result))  # noqa: S704
FILTERS["statement"] = lambda result, about: statement(about, result)
