"""Logs of evaluations by inspect_ai and lm-eval: what they report, and the scores of samples.

Logs come from other people. Each limit is checked before the bytes are read. The formats are those
of inspect_ai 0.3 (``.eval``, a zip archive of JSON, and ``.json``) and of lm-eval 0.4
(``results_*.json``, and next to it ``samples_TASK_*.jsonl``).
"""

from __future__ import annotations

import io
import json
import lzma
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from eatlas.decoding import (
    LARGEST,
    check_growth,
    file_bytes,
    json_value,
    require_file,
    require_size,
)
from eatlas.errors import ResultsError, listing
from eatlas.sources.archives import library
from eatlas_models.reading.bbq import BBQAnswer, answer_of_inspect, answer_of_lm_eval

MOST_BYTES = 1 << 28
"""Of a log, and of all that is read of an archive."""
MOST_SAMPLES = 200_000
MOST_VALUES = 10_000_000
"""Of a text in JSON; each takes about 100 bytes of memory."""
BYTES_OF_VALUE = 100
LONGEST = 200
"""Letters of a name in a log; more are cut off."""
LONGEST_FILE = 255
"""Bytes of the name of a file."""
CATEGORY = "category"
"""Key of a sample's data that has its category."""
ALLOWED = (
    "an .eval or .json log of inspect_ai, or a results_*.json of lm-eval with its samples_*.jsonl "
    "next to it"
)
_NUMBERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""What inspect_ai counts correct, incorrect, partly correct and unanswered as."""
ALL_GROUPS = "all"
"""What inspect_ai calls a grouped metric over all samples."""
_REDUCERS_TO_MEANS = (None, "", "mean")
"""With them the score of inspect_ai is a mean over samples, whatever the number of epochs."""
_STANDARD_ERRORS = frozenset({"stderr", "std", "var", "bootstrap_stderr"})
_ZIP_STORED, _ZIP_DEFLATED, _ZIP_ZSTANDARD = 0, 8, 93
_DAMAGED = (
    OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""What the libraries raise for a damaged log; RuntimeError for an encrypted one."""


@dataclass(frozen=True)
class Reported:
    """A number that a log reports of a whole task."""

    metric: str
    value: float
    error: float | None = None
    """Its standard error, where the log has one."""


@dataclass(frozen=True)
class Sample:
    """The scores of one question of a task."""

    unit: str
    """Samples of the same unit are not independent: versions of one question, and repeats."""
    category: str
    """Empty where the log has none."""
    scores: Mapping[str, float]
    """By metric."""
    bbq: BBQAnswer | None = None


@dataclass(frozen=True)
class EvaluationLog:
    """One task of one model."""

    tool: str
    """With its version."""
    task: str
    model: str
    reported: tuple[Reported, ...]
    samples: tuple[Sample, ...]
    file: str
    sha256: str
    """Of the log, and of its file of samples."""
    created: str = ""


def read_evaluation_logs(path: Path, category: str = CATEGORY) -> list[EvaluationLog]:
    """Read the logs of a file, or of a folder and the folders in it."""
    if path.is_dir():
        files = sorted({*path.rglob("*.eval"), *path.rglob("*.json")})
        found = [
            log
            for file in files
            for log in _read_file(file, category, required=file.suffix == ".eval")
        ]
        if not found:
            raise ResultsError(
                f"{path}: this folder contains no log of an evaluation",
                got=listing([file.name for file in files], 5) if files else "no .eval or .json",
                allowed=ALLOWED,
                remedy="name the folder that the evaluation wrote",
            )
        return found
    return _read_file(path, category, required=True)


def _read_file(path: Path, category: str, *, required: bool) -> list[EvaluationLog]:
    """Read the logs of a file; none of a file that is something else, unless it is required."""
    require_file(path, ResultsError)
    if path.name.startswith("samples_") and path.suffix == ".jsonl":
        raise ResultsError(
            f"{path}: these are the samples of a task without its results",
            allowed=ALLOWED,
            remedy="name the folder, or the file results_*.json",
        )
    try:
        if zipfile.is_zipfile(path):
            return [_inspect_log(*_read_archive(path), path, category)]
        data = file_bytes(path, ResultsError, MOST_BYTES)
        content = _parse(data, str(path), len(data))
    except _DAMAGED as error:
        if not (required or path.name.startswith("results_")):
            return []
        got = error.strerror if isinstance(error, OSError) else str(error)
        raise ResultsError(
            f"{path}: this log cannot be read",
            got=(got or str(error) or type(error).__name__)[:LONGEST],
            allowed=ALLOWED,
            remedy="copy or write the log again, or leave the file out",
        ) from error
    if isinstance(content, dict) and {"eval", "status", "version"} <= content.keys():
        samples = _objects(content.get("samples") or [], path, "samples")
        _require_samples(len(samples), path)
        return [_inspect_log(content, samples, sha256(data).hexdigest(), path, category)]
    if isinstance(content, dict) and {"results", "configs"} <= content.keys():
        return [*_lm_eval_logs(content, data, path, category)]
    if not required:
        return []
    got = listing(list(content), 5) if isinstance(content, dict) else type(content).__name__
    raise ResultsError(
        f"{path}: this is no log of an evaluation",
        got=got,
        allowed=ALLOWED,
        remedy="leave the file out, or name the log",
    )


# --- archives -------------------------------------------------------------------------------------


def _read_archive(path: Path) -> tuple[dict[str, Any], Iterator[dict[str, Any]], str]:
    """The head, the samples and the hash of an ``.eval`` file."""
    data = file_bytes(path, ResultsError, MOST_BYTES)
    with zipfile.ZipFile(path) as archive:
        names = {info.filename: info for info in archive.infolist()}
        if "header.json" not in names:
            raise ResultsError(
                f"{path}: this archive is no finished log of inspect_ai",
                got=listing(list(names), 5) if names else "an empty archive",
                allowed="an archive with a header.json",
                remedy="if the evaluation was interrupted, continue it: inspect eval-retry",
            )
        wanted = [info for name, info in names.items() if name.startswith("samples/")]
        _require_samples(len(wanted), path)
        size = sum(info.file_size for info in (names["header.json"], *wanted))
        require_size(size, f"{path}, unpacked", ResultsError, MOST_BYTES)
        check_growth(str(path), size, len(data))
    (head,) = _entries(path, [names["header.json"]], len(data))
    return head, _entries(path, wanted, len(data)), sha256(data).hexdigest()


def _entries(path: Path, infos: Iterable[zipfile.ZipInfo], packed: int) -> Iterator[dict[str, Any]]:
    """Objects of an archive of `packed` bytes, each as it is read."""
    with zipfile.ZipFile(path) as archive:
        for info in infos:
            value = _parse(_unpack(archive, info), f"{path}, {info.filename}"[:LONGEST], packed)
            yield _object(value, path, info.filename)


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry, never more than the archive says that it has."""
    if info.compress_type != _ZIP_ZSTANDARD:
        with archive.open(info) as entry:
            data = entry.read(info.file_size + 1)
    else:  # which zipfile reads from Python 3.14 on
        zstandard = library("zstandard", info.filename, ".eval logs of inspect_ai")
        with Path(str(archive.filename)).open("rb") as file:
            file.seek(info.header_offset + 26)
            lengths = [int.from_bytes(file.read(2), "little") for _ in range(2)]
            file.seek(sum(lengths), 1)
            packed = file.read(info.compress_size)
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            packed, read_across_frames=True
        )
        try:
            data = reader.read(info.file_size + 1)
        except zstandard.ZstdError as error:
            raise ValueError(f"{info.filename}: {error}") from error
    if len(data) != info.file_size:
        raise ValueError(f"{info.filename} does not have the {info.file_size:,} bytes it declares")
    return data


# --- inspect_ai -----------------------------------------------------------------------------------


def _inspect_log(
    head: dict[str, Any], samples: Iterable[dict[str, Any]], digest: str, path: Path, category: str
) -> EvaluationLog:
    """Take what a log of inspect_ai says of one task."""
    about = _object(head.get("eval"), path, "eval")
    if head.get("status") != "success":
        raise ResultsError(
            f"{path}: the evaluation did not finish",
            got=f"status {str(head.get('status'))[:LONGEST]}",
            allowed="status success",
            remedy="finish it: inspect eval-retry",
        )
    scores = _objects(_object(head.get("results") or {}, path, "results").get("scores") or [],
                      path, "results.scores")  # fmt: skip
    scorers = [
        _collect_numbers(score, prefix, path, category)
        for score, prefix in zip(scores, _prefixes(scores), strict=True)
    ]
    seen = set[str]()
    for score in (score for scorer in scorers for score in scorer.numbers):
        _require_new("score", score.metric, seen, path)
    packages = about.get("packages")
    version = packages.get("inspect_ai") if isinstance(packages, dict) else None
    scored = [*_inspect_samples(samples, scorers, path, category)]
    has_categories = any(sample.category for sample in scored)  # with the score of each
    reported = [
        score
        for scorer in scorers
        for score in (scorer.of_all if has_categories else scorer.numbers)
    ]
    if not (reported or scored):
        raise no_score(path, [key for scorer in scores for key in _part(scorer, "metrics")])
    return EvaluationLog(
        tool=f"inspect_ai {version or ''}".strip()[:LONGEST],
        task=_name(about.get("task")).rpartition("/")[2] or path.stem,
        model=_name(about.get("model")) or path.stem,
        reported=tuple(reported),
        samples=tuple(scored),
        file=path.name,
        sha256=digest,
        created=_name(about.get("created")),
    )


def _name_of_metric(key: str, metric: dict[str, Any], metrics: Mapping[str, Any]) -> str:
    """The name of a metric; inspect_ai names one that is grouped after its group."""
    grouped = _part(_part(metric, "params"), "metric")
    if metric.get("group") != "grouped" or not grouped.get("name"):
        return key[:LONGEST]
    name = _name(grouped["name"])
    return name if key == ALL_GROUPS and name not in metrics else f"{name}/{key}"[:LONGEST]


class _Scorer(NamedTuple):
    """A scorer of inspect_ai, and its numbers: of all samples, and of categories."""

    scorer: Mapping[str, Any]
    of_all: list[Reported]
    of_categories: list[Reported]

    @property
    def numbers(self) -> list[Reported]:
        """All numbers."""
        return [*self.of_all, *self.of_categories]


def _collect_numbers(scorer: dict[str, Any], prefix: str, path: Path, category: str) -> _Scorer:
    """Take the numbers of a scorer; `prefix` is the beginning of their names."""
    metrics = _object(scorer.get("metrics") or {}, path, "metrics")
    of_all, of_categories, error = {}, {}, None
    for key, value in metrics.items():
        metric = _object(value, path, "metrics")
        number, name = _number(metric.get("value")), _name_of_metric(key, metric, metrics)
        group = _part(metric, "params").get("group_key")
        if number is None or name in _STANDARD_ERRORS:
            error = number if name == "stderr" else error
        elif group == category and key not in (name, ALL_GROUPS):
            of_categories[f"{prefix}{name}"] = number
        else:
            of_all[f"{prefix}{name}"] = number
    error = error if len(of_all) == 1 else None
    return _Scorer(
        scorer,
        [Reported(name, number, error) for name, number in of_all.items()],
        [Reported(name, number) for name, number in of_categories.items()],
    )


def _prefixes(scores: list[dict[str, Any]]) -> list[str]:
    """Beginnings of the metrics of scorers: the name, and what is needed to tell it from others.

    That is the scorer, if two have numbers of this name, and the reducer of epochs.
    """
    if len(scores) < 2:
        return [""] * len(scores)
    names, owners, reducers = (
        [_name(score.get(key)) for score in scores] for key in ("name", "scorer", "reducer")
    )
    shared = Counter(name for name, _ in set(zip(names, owners, strict=True)))
    labels = [
        f"{owner}/{name}" if shared[name] > 1 else name
        for name, owner in zip(names, owners, strict=True)
    ]
    counts = Counter(labels)
    return [
        f"{label}/{reducer}/" if counts[label] > 1 and reducer else f"{label}/"
        for label, reducer in zip(labels, reducers, strict=True)
    ]


def _inspect_samples(
    samples: Iterable[dict[str, Any]], scorers: list[_Scorer], path: Path, category: str
) -> Iterator[Sample]:
    """The samples that have scores."""
    seen = set[str]()
    values = 0
    for sample in samples:
        epoch = _name(sample.get("epoch", 1))
        _require_new("sample", f"{_name(sample.get('id'))}, epoch {epoch}", seen, path)
        made = _inspect_sample(sample, scorers, category)
        if made is not None:
            values += len(made.scores)
            _require_values(values, str(path))
            yield made


def _inspect_sample(
    sample: dict[str, Any], scorers: Iterable[_Scorer], category: str
) -> Sample | None:
    """The scores of a sample by reported metric, which may be its mean; None if it has none."""
    data, scores = _part(sample, "metadata"), _part(sample, "scores")
    numbers: dict[str, float] = {}
    bbq = None
    for scorer, of_all, _ in scorers:
        score = scores.get(str(scorer.get("scorer")), scores.get(str(scorer.get("name"))))
        if not isinstance(score, dict):
            continue
        bbq = bbq or answer_of_inspect(data, sample.get("choices"), score.get("answer"))
        value = score.get("value")
        if isinstance(value, dict):  # of a scorer with several numbers, each has its name
            value = value.get(str(scorer.get("name")))
        number = _NUMBERS.get(value) if isinstance(value, str) else _number(value)
        if number is not None and scorer.get("reducer") in _REDUCERS_TO_MEANS:
            numbers |= dict.fromkeys((report.metric for report in of_all), number)
    if not numbers and bbq is None:
        return None
    label = _name(data.get(category))
    unit = data.get("question_index") if bbq else None
    return Sample(
        f"{label}/{_name(sample.get('id') if unit is None else unit)}", label, numbers, bbq
    )


# --- lm-eval --------------------------------------------------------------------------------------


def _lm_eval_logs(
    content: dict[str, Any], data: bytes, path: Path, category: str
) -> Iterator[EvaluationLog]:
    """Take what a file of results of lm-eval says of each of its tasks."""
    results = _object(content["results"], path, "results")
    stamp = path.stem.removeprefix("results_")
    metrics = list[str]()
    is_scored = False
    for task, numbers in results.items():
        values = _object(numbers, path, f"results.{task}"[:LONGEST])
        reported = []
        for key, value in values.items():
            metric, _, used = str(key)[:LONGEST].partition(",")
            number = _number(value)
            if number is None or metric.endswith("_stderr") or not used:
                continue
            error = _number(values.get(f"{metric}_stderr,{used}"))
            name = metric if used == "none" else f"{metric}/{used}"
            reported.append(Reported(name, number, error))
        if not reported:
            metrics += values
            continue  # the heading of a group of tasks
        is_scored = True
        name = Path(f"samples_{task}_{stamp}.jsonl").name
        file = path.parent / name  # whatever a task is called, in the same folder
        has_samples = len(os.fsencode(name)) <= LONGEST_FILE and file.is_file()
        lines = file_bytes(file, ResultsError, MOST_BYTES) if has_samples else b""
        _require_samples(lines.count(b"\n"), file)
        yield EvaluationLog(
            tool=f"lm-eval {_name(content.get('lm_eval_version'))}".strip(),
            task=_name(task) or path.stem,
            model=_model_of_lm_eval(content) or path.stem,
            reported=tuple(reported),
            samples=tuple(_lm_eval_samples(lines, reported, file, category)),
            file=path.name,
            sha256=sha256(data + lines).hexdigest(),
            created=str(content.get("date") or "")[:LONGEST],
        )
    if not is_scored:
        raise no_score(path, metrics)


def _model_of_lm_eval(content: Mapping[str, Any]) -> str:
    """The name of a model: what it was loaded from, or what kind it is."""
    config = content.get("config")
    arguments = config.get("model_args") if isinstance(config, dict) else None
    if isinstance(arguments, str):
        pairs = (part.partition("=") for part in arguments.split(","))
        arguments = {key.strip(): value for key, _, value in pairs}
    names = arguments if isinstance(arguments, dict) else {}
    name = names.get("pretrained") or names.get("model") or content.get("model_name")
    return _name(name or content.get("model_source"))


def _lm_eval_samples(
    lines: bytes, reported: Iterable[Reported], path: Path, category: str
) -> Iterator[Sample]:
    """The samples of a task; each filter of answers has its own."""
    seen = set[str]()
    for row in _rows(lines, path):
        if "doc_id" in row:
            name = f"{_name(row['doc_id'])}, filter {_name(row.get('filter') or 'none')}"
            _require_new("sample", name, seen, path)
        yield _lm_eval_sample(row, reported, category)


def _lm_eval_sample(row: dict[str, Any], reported: Iterable[Reported], category: str) -> Sample:
    """The scores of a sample by metric."""
    document = _part(row, "doc")
    used = row.get("filter") or "none"
    numbers = {}
    for report in reported:
        metric, _, needed = report.metric.partition("/")
        number = _number(row.get(metric))
        if (needed or "none") == used and number is not None:
            numbers[report.metric] = number
    label = _name(document.get(category))
    bbq = answer_of_lm_eval(document, row)
    unit = document.get("question_index") if bbq else row.get("doc_id")
    return Sample(f"{label}/{_name(unit)}", label, numbers, bbq)


def _rows(data: bytes, path: Path) -> Iterator[dict[str, Any]]:
    """Objects of a file of JSON lines; NaN is allowed, as lm-eval writes it."""
    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.strip():
            continue
        try:
            value = _parse(line, f"{path}, line {number}", len(data))
        except ValueError as error:
            raise ResultsError(
                f"{path}, line {number}: this is not JSON",
                got=str(error)[:LONGEST],
                remedy="write the samples again: lm_eval --log_samples",
            ) from error
        yield _object(value, path, f"line {number}")


# --- parts of logs --------------------------------------------------------------------------------


def _parse(data: bytes, where: str, packed: int) -> Any:
    """Parse JSON of a file of `packed` bytes, after counting the values in it."""
    values = sum(data.count(mark) for mark in (b",", b"[", b"{"))
    _require_values(values, where)
    check_growth(where, len(data) + values * BYTES_OF_VALUE, packed)
    return json_value(data)


def no_score(path: Path | str, metrics: list[str]) -> ResultsError:
    """Say that a log has nothing to show."""
    names = [name[:LONGEST] for name in metrics]
    return ResultsError(
        f"{path}: the log reports no score",
        got=f"no finite number of {listing(names, 5)}" if names else "no metrics",
        allowed="a log with a metric that is a finite number",
        remedy="evaluate the task with a scorer that reports a metric, or leave the file out",
    )


def _object(value: Any, path: Path, where: str) -> dict[str, Any]:
    """A part of a log that must be an object."""
    if isinstance(value, dict):
        return value
    raise ResultsError(
        f"{path}: {where} is not what a log has there",
        got=json.dumps(value, default=str)[:LONGEST],
        allowed="a JSON object",
        remedy="write the log again with inspect_ai 0.3 or lm-eval 0.4",
    )


def _objects(values: Any, path: Path, where: str) -> list[dict[str, Any]]:
    """A part of a log that must be a list of objects."""
    if not isinstance(values, list):
        return [_object(values, path, where)]
    return [_object(value, path, where) for value in values]


def _part(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A part of a sample that is an object; an empty one where it is something else."""
    part = value.get(key)
    return part if isinstance(part, dict) else {}


def _require_values(count: int, where: str) -> None:
    _require_at_most(MOST_VALUES, count, "values", where, f"up to {count:,}")


def _require_samples(count: int, path: Path) -> None:
    _require_at_most(MOST_SAMPLES, count, "samples", str(path), f"{count:,}")


def _require_new(what: str, name: str, seen: set[str], path: Path) -> None:
    """Refuse a sample or a score that a log has twice, since it would count twice."""
    if name in seen:
        raise ResultsError(
            f"{path}: the log has the {what} {name[:LONGEST]!r} twice",
            got=f"{len(seen):,} before the second",
            allowed=f"each {what} once",
            remedy="write the log again with inspect_ai 0.3 or lm-eval 0.4, or leave the file out",
        )
    seen.add(name)


def _require_at_most(most: int, count: int, things: str, where: str, got: str) -> None:
    """Refuse a log with too many values or samples."""
    if count > most:
        raise ResultsError(
            f"{where}: the log has too many {things}",
            got=got,
            allowed=f"at most {most:,}",
            remedy="divide the task into several",
        )


def _number(value: Any) -> float | None:
    """A number that can be squared; None for anything else, NaN included."""
    if isinstance(value, bool | int | float) and abs(value) <= LARGEST:
        return float(value)
    return None


def _name(value: Any) -> str:
    """A short text of a log."""
    return "" if value is None else str(value)[:LONGEST]
