"""Answers of models that were collected elsewhere, in a table or in JSON lines."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, get_args

from eatlas.decoding import decode_utf8, json_value, require_file
from eatlas.errors import SourceError, listing
from eatlas.notes import Note
from eatlas.sources.tables import LARGEST, rows_by_column
from eatlas_models.results.language_model import LanguageModelRecord
from eatlas_models.stimuli.asking import About, CollectedAnswer

ANSWER = ("answer", "response", "0")
"""Names of the column of answers; the last occurs in the files of Bai et al. (2025)."""
MODEL = ("model", "llm")
CHANCES = ("logprob_first", "logprob_second")
"""Columns of the log-probabilities of both options; empty where the model does not list it."""
FORM = (
    "a CSV, TSV or JSON lines file with the column answer; of comparisons also target and options, "
    "or attribute and options, and may have logprob_first and logprob_second in place of answer"
)
LARGEST_LOGPROB = 1e-3
"""Sums of probabilities are not exact."""
_TIME = re.compile(r"(?<=\d{4}-\d\d-\d\d)[T ].*", re.DOTALL)
"""What follows the day in a date."""


@dataclass(frozen=True, repr=False)
class CollectedAnswers:
    """Answers in a file, in place of a model."""

    name: str
    rows: tuple[CollectedAnswer, ...]
    fingerprint: str
    """Hash of the file."""
    notes: tuple[Note, ...] = ()
    kind: Literal["chat"] = "chat"
    collected: ClassVar[bool] = True
    """Whether the answers are there, whatever a measure would ask."""

    def __repr__(self) -> str:
        return f"<CollectedAnswers {self.name}: {len(self.rows):,} answers>"

    @property
    def about(self) -> LanguageModelRecord:
        """The models that answered, as the file names them."""
        models = sorted({row.model for row in self.rows if row.model})
        return LanguageModelRecord(
            model=", ".join(models) or self.name, architecture="collected answers", kind="chat"
        )

    def of_test(self, test: str) -> tuple[CollectedAnswer, ...]:
        """Rows that name no other test, where some name this one; else all."""
        named = any(row.test == test for row in self.rows)
        return tuple(row for row in self.rows if row.test in {"", test} or not named)

    def renamed(self, name: str) -> Self:
        """Return the same under another name."""
        return replace(self, name=name)


def open_collected(path: str | Path) -> CollectedAnswers:
    """Read a file of answers, whose columns docs/how-to/ask.md describes."""
    file = Path(path)
    rows = tuple(_rows(file))
    if not rows:
        raise SourceError(f"{path}: the file contains no answers", allowed=FORM)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return CollectedAnswers(str(path), rows, f"sha256:{digest}")


def _rows(path: Path) -> Iterator[CollectedAnswer]:
    """Answers of a file, whatever its form."""
    records = (
        _json_lines(path)
        if path.suffix.lower() == ".jsonl"
        else rows_by_column(path, "answers", FORM)
    )
    for place, record in records:
        answer = next((name for name in ANSWER if name in record), None)
        chances = _chances(record, place)
        if answer is None and chances is None:
            raise SourceError(
                f"{place}: there is no answer", got=f"{listing(record)} alone", allowed=FORM
            )
        about = next((name for name in get_args(About) if record.get(name)), None)
        subject = _text(record[about]) if about else ""
        options = _options(record, place)
        if about and len(options) != 2:
            raise SourceError(
                f"{place}: the answer about {subject!r} is not between two options",
                got=listing(options) if options else "no options",
                allowed='options such as ["office", "home"], or office|home',
            )
        yield CollectedAnswer(
            text=_text(record[answer]) if answer else "",
            options=options,
            subject=subject,
            about=about,
            template=_template(record, about, subject, options),
            model=_text(next((record[name] for name in MODEL if record.get(name)), "")),
            date=_TIME.sub("", _text(record.get("date"))),
            chances=chances if about else None,
            test=_text(record.get("test")),
        )


Records = Iterator[tuple[str, Mapping[str, Any]]]
"""Where a row is, and its cells by the lower case of their column."""


def _json_lines(path: Path) -> Records:
    """Objects of a file of JSON lines."""
    require_file(path, SourceError)
    try:
        if path.stat().st_size > LARGEST:
            raise SourceError(f"{path}: the file of answers is too large", allowed="up to 64 MiB")
        text = decode_utf8(path.read_bytes(), str(path), SourceError)
    except OSError as error:
        raise SourceError(
            f"{path}: the file cannot be read", got=error.strerror, allowed=FORM
        ) from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json_value(line)
        except ValueError as error:
            raise SourceError(
                f"{path}, line {number}: this is not JSON", got=str(error), allowed=FORM
            ) from error
        if not isinstance(record, dict):
            raise SourceError(
                f"{path}, line {number}: this is not an object", got=line[:80], allowed=FORM
            )
        yield f"{path}, line {number}", {name.strip().lower(): record[name] for name in record}


def _text(value: Any) -> str:
    """A cell as text; nothing for null."""
    return "" if value is None else str(value).strip()


def _chances(record: Mapping[str, Any], place: str) -> tuple[float, float] | None:
    """Log-probabilities of both options; none where a row has a text instead."""
    if any(name not in record for name in CHANCES) or any(record.get(name) for name in ANSWER):
        return None
    try:
        first, second = (float(_text(record[name]) or "-inf") for name in CHANCES)
    except ValueError:
        first = second = math.nan
    if not (first <= LARGEST_LOGPROB and second <= LARGEST_LOGPROB):
        raise SourceError(
            f"{place}: not log-probabilities",
            got=listing([_text(record[name]) for name in CHANCES]),
            allowed="natural logarithms of probabilities, at most 0; empty if none is listed",
        )
    return first, second


def _options(record: Mapping[str, Any], place: str) -> tuple[str, ...]:
    """What an answer chooses between."""
    if record.get("group0") and record.get("group1"):
        return _text(record["group0"]), _text(record["group1"])
    options = record.get("options")
    if isinstance(options, str) and options.lstrip().startswith("["):
        try:
            options = json_value(options)
        except ValueError as error:
            raise SourceError(
                f"{place}: the options are not JSON",
                got=record["options"],
                allowed='["office", "home"], or office|home',
            ) from error
    if isinstance(options, str):
        options = options.split("|")
    if not isinstance(options, list | None):
        raise SourceError(f"{place}: not a list of options", got=repr(options)[:80], allowed=FORM)
    return tuple(filter(None, map(_text, options or ())))


def _template(
    record: Mapping[str, Any], about: str | None, subject: str, options: Sequence[str]
) -> str:
    """The question with its places: as the file has it, or the prompt without its words.

    Of a list of words it is the whole prompt.
    """
    if template := _text(record.get("template")):
        return template
    prompt = _text(record.get("prompt"))
    if not prompt or about is None:
        return prompt
    places = {subject: about} | dict(zip(options, ("first", "second"), strict=True))
    either = "|".join(re.escape(word) for word in sorted(places, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{either})(?!\w)", lambda word: f"{{{places[word[0]]}}}", prompt)
