"""``eatlas embed``: vectors of terms as subcorpora use them, and regressions of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from eatlas.cli.messages import output_of_a_command, print_line, print_rows
from eatlas.decoding import lines_of
from eatlas.errors import EatlasError
from eatlas.executors import executor_of
from eatlas.numbers import number_of
from eatlas.stimuli import load_tests
from eatlas_corpora.cli.contexts import say_damaged, size_of, skips_in_words
from eatlas_corpora.cli.progress import progress_of_parts
from eatlas_corpora.engine.embedding import LENGTHS
from eatlas_corpora.engine.embedding import embed as embed_corpus
from eatlas_corpora.engine.embedding_regression import embedding_regression
from eatlas_corpora.reading.sampling import language_of, stimuli_of
from eatlas_corpora.results.embedding_regression import EmbeddingRegression, TermRegression
from eatlas_corpora.sources.parts import CorpusParts

MOST_WORDS, MOST_RATIOS = 8, 3
"""Nearest words, and ratios of nearness, that are printed."""


def embed(
    corpus: list[str],
    *,
    vectors: str,
    tests: list[str] | None = None,
    by: str | None = None,
    bins: str | None = None,
    terms: str | None = None,
    covariates: str | None = None,
    reference: list[str] | None = None,
    permutations: int = 999,
    seed: int = 0,
    unit: str | None = None,
    output: Path | None = None,
    window: int = 6,
    stop_words: Path | None = None,
    transformation: Path | None = None,
    language: str = "",
    case: str = "auto",
    compounds: str = "either",
    field: str | None = None,
    documents: str = "line",
    workers: int | None = None,
    engine: str = "local",
) -> None:
    """Embed the terms of tests as each subcorpus uses them; or regress them on covariates.

    The corpus is read once. A term's vector in a subcorpus is the mean of its contexts there,
    transformed to the space of the given vectors (a la carte, Khodak et al. 2018). Measure all
    subcorpora with: eatlas run --tests TEST --vectors parts.npz. With --covariates, the command
    regresses the vectors of terms in single documents on fields of these documents (Rodriguez,
    Spirling and Stewart 2023). To continue after an interruption, repeat the command. Exit codes: 0
    done, 2 an input cannot be used, 130 interrupted.

    Parameters
    ----------
    corpus : CORPUS...
        Files, folders or patterns: text, JSON Lines, CSV, TSV, Parquet; .gz, .bz2, .xz, .zst.
    vectors : [NAME=]SOURCE
        Vectors of the words of the texts, as for eatlas run.
    tests : ID|BATTERY|FILE.toml
        Tests of words. May be repeated.
    by : FIELD|file
        Field or column whose values are the subcorpora. file: the name of the file.
        [default: file]
    bins : years|decades|centuries|YEAR-YEAR,...
        Length of the periods, or their first and last years, if the field is a year or a date.
    terms : WORD,...
        Words to regress, instead of the words of --tests. Needs --covariates.
    covariates : FIELD,...
        Regress terms on these fields of the documents, instead of --by. Numbers are standardised,
        dates count by year, and all else is categorical.
    reference : FIELD=VALUE
        Reference value of a covariate; a field of numbers becomes categorical. May be repeated.
        [default: the most frequent value]
    permutations : N >= 99
        Random permutations for each p-value of a regression.
    unit : FIELD|document|occurrence
        Field whose values are resampled together, such as speaker. [default: the first of speaker,
        author, user and the like whose values repeat over documents; else document] With
        --covariates, occurrence treats each context as an observation, as conText does.
    output : -o, --output FILE
        File for the subcorpora, .npz, or the regression, .json. [default: parts.npz or
        regression.json]
    window : N >= 1
        Number of words on either side of a term.
    stop_words : FILE
        Words to leave out of contexts, one per line. [default: 95 English words; none of
        tests in other languages]
    transformation : FILE.npz|FILE.npy
        Use the transformation of an earlier file of subcorpora, or a square array by which mean
        contexts are multiplied from the right. [default: learned on the corpus]
    language : TAG
        Language of --terms. [default: en]
    case : auto|exact|ignore
        How to find terms, as for eatlas contexts.
    compounds : either|written|head
        How to find terms of several words, as for eatlas contexts.
    documents : line|paragraph
        What is a document in plain text.
    """
    shared: dict[str, Any] = {
        "unit": unit,
        "window": window,
        "stop_words": None if stop_words is None else lines_of(stop_words, "word", EatlasError),
        "matrix": transformation,
        "case": cast("Any", case),
        "compounds": cast("Any", compounds),
        "field": field,
        "documents": cast("Any", documents),
        "workers": workers,
        "executor": executor_of(engine, workers),
    }
    if covariates is not None:
        _require_none(covariates, by=by, bins=bins)
        words, tag = _terms(terms, tests, language)
        _regress(
            output or Path("regression.json"), corpus, words, vectors, _split(covariates),
            reference=_references(reference or []), permutations=permutations, seed=seed,
            language=tag, **shared,
        )  # fmt: skip
    elif tests and terms is None:
        bounds = _bins(bins)
        _embed(output or Path("parts.npz"), corpus, tests, vectors, by=by, bins=bounds, **shared)
    else:
        raise EatlasError(
            "no tests or terms are named" if terms is None else "--terms needs a regression",
            allowed="--tests TEST for subcorpora; --terms WORD,... or --tests with "
            "--covariates FIELD,... for a regression",
        )


def _embed(
    output: Path,
    corpus: list[str],
    tests: list[str],
    vectors: str,
    *,
    by: str | None,
    **options: Any,
) -> None:
    """Embed terms by part, and print what the parts hold."""
    with progress_of_parts("read", "run") as progress:
        result = embed_corpus(
            corpus, tests, vectors, by=by or "file", out=output, progress=progress, **options
        )
    say_damaged(result.about.corpus.to_dict())
    with output_of_a_command():
        _print(result, output)


def _regress(
    output: Path,
    corpus: list[str],
    terms: Sequence[str],
    vectors: str,
    covariates: list[str],
    **options: Any,
) -> None:
    """Regress terms on covariates and print the coefficients and the nearest words."""
    with progress_of_parts("read", "run") as progress:
        result = embedding_regression(
            corpus, terms, vectors, covariates, out=output, progress=progress, **options
        )
    say_damaged(result.provenance.corpus)
    with output_of_a_command():
        _print_regression(result, output)


def _require_none(covariates: str, **options: str | None) -> None:
    """Refuse options of subcorpora together with options of a regression."""
    for name, value in options.items():
        if value is not None:
            raise EatlasError(
                f"--{name} and --covariates exclude each other",
                got=f"--{name} {value} --covariates {covariates}",
                allowed="--by FIELD for subcorpora, or --covariates FIELD,... for a regression",
            )


def _terms(
    terms: str | None, tests: list[str] | None, language: str
) -> tuple[tuple[str, ...], str]:
    """Terms to regress, and their language."""
    if (terms is None) == (not tests):
        raise EatlasError(
            "a regression needs terms"
            if terms is None
            else "--terms and --tests exclude each other",
            allowed="--terms WORD,... or --tests TEST",
        )
    if terms is not None:
        return tuple(_split(terms)), language
    loaded = load_tests(tests or [])
    return stimuli_of(loaded), language_of(loaded)


def _split(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def _references(texts: list[str]) -> dict[str, str]:
    """Values of covariates that the others are compared with."""
    for text in texts:
        if not all(text.partition("=")):
            raise EatlasError("--reference: no value", got=text, allowed="FIELD=VALUE")
    return {field: value for field, _, value in (text.partition("=") for text in texts)}


def _bins(text: str | None) -> str | list[tuple[int, int]]:
    """First and last years, such as 1790-1860,1861-1917; or a word such as decades."""
    parts = [part.strip() for part in (text or "").split(",") if part.strip()]
    if len(parts) == 1 and parts[0].isalpha():
        return parts[0].lower()
    if len(parts) == 1 and parts[0].isdecimal():  # one year is one part, and nobody means that
        years = int(parts[0])
        word = next((word for word, length in LENGTHS.items() if length == years), "")
        raise EatlasError(
            f"--bins: {years} is one year, not the length of a part"
            + f"; did you mean {word}?" * bool(word),
            got=parts[0],
            allowed=f"{', '.join(LENGTHS)}; or first and last year, with commas between ranges: "
            "1790-1860,1861-1917",
        )
    bins = []
    for part in parts:
        first, _, last = part.partition("-")
        if not (first.strip().isdecimal() and (last.strip() or first.strip()).isdecimal()):
            raise EatlasError(
                "--bins: not a range of years",
                got=part,
                allowed=f"first and last year, with commas between ranges: 1790-1860,1861-1917; or "
                f"{', '.join(LENGTHS)}",
            )
        bins.append((int(first), int(last or first)))
    return bins


def _print(result: CorpusParts, output: Path) -> None:
    """Print the parts with what they hold, the transformation, and where the file lies."""
    about, contexts, corpus = result.about, result.contexts, result.about.corpus.to_dict()
    targets = [i for i, term in enumerate(result.terms) if term in about.targets]
    rows = [["part", "documents", "contexts of targets", "targets without"]]
    for part, documents, own in zip(about.parts, about.documents, contexts, strict=True):
        of_targets = own[targets]
        rows.append([part, f"{documents:,}", f"{of_targets.sum():,}", str((of_targets == 0).sum())])
    print_rows(rows, least=(max(map(len, about.parts)),))
    unit = "documents"
    if about.resample:
        why = " (its values repeat; --unit document for documents)" * about.resample_found
        unit = f"{about.resample}{why}"
    learned = about.transformation
    repeats = about.repeats
    left_out = [f"{n:,} documents {why}" for why, n in about.left_out.items()]
    for line in (
        "",
        f"resampled: {unit}",
        f"{about.words:,} words of {size_of(corpus)}",
        *skips_in_words(corpus),
        *([f"in no part: {'; '.join(left_out)}"] if left_out else []),
        *([f"documents that repeat the text of another: {repeats:,}"] if repeats else []),
        f"transformation: {'of ' + learned.file if learned.file else 'learned here'} from "
        f"{learned.words:,} words; median cosine of refitted words with their own vectors "
        f"{learned.quality:.2f}",
        "",
        f"parts: {output}",
    ):
        print_line(line)


def _print_regression(result: EmbeddingRegression, output: Path) -> None:
    """Print the coefficients of each term, its nearest words, and where the record lies."""
    of = f"units ({result.unit})" if result.unit else "documents"
    of = "occurrences" if result.unit == "occurrence" else of
    for term in result.terms:
        observations = ""
        if term.observations > term.units:
            observations = f" in {term.observations:,} observations"
        print_line(f"{term.term}: {term.contexts:,} contexts, {term.units:,} {of}{observations}")
        rows = [["", "squared norm", "less bias", "95% interval", "p"]]
        for c in term.coefficients:
            number = next(v.sd for v in result.covariates if v.field == c.field)
            what = f"{c.field} {c.value}, not {c.against}"
            low, high = c.interval
            rows.append(
                [
                    what if number is None else f"{c.field}, per {number:.3g} (1 sd)",
                    f"{c.squared_norm:.3g}", f"{c.debiased:.3g}", f"[{low:.3g}, {high:.3g}]",
                    f"{c.p:.3g}",
                ]
            )  # fmt: skip
        print_rows(rows)
        _print_neighbours(term)
        print_line("")
    for name, why in result.missing.items():
        print_line(f"{name}: left out: {why}")
    outside = [f"{n:,} documents {why}" for why, n in result.outside.items()]
    for line in (
        f"{result.documents:,} documents of {size_of(result.provenance.corpus)}",
        *([f"left out: {'; '.join(outside)}"] if outside else []),
        f"transformation: median cosine of refitted words with their own vectors "
        f"{result.transformation['quality']:.2f}",
        "",
        f"regression: {output}",
    ):
        print_line(line)


def _print_neighbours(term: TermRegression) -> None:
    """Print the nearest words at each value, and those whose nearness differs most."""
    for field in dict.fromkeys(profile.field for profile in term.profiles):
        for profile in term.profiles:
            if profile.field == field:
                words = " ".join(n.word for n in profile.neighbours[:MOST_WORDS])
                print_line(f"  near at {field} {profile.value}: {words}")
        for c in term.coefficients:
            if c.field == field and c.ratios:
                most = [f"{r.word} {r.ratio:.2f}" for r in c.ratios[:MOST_RATIOS]]
                least = [f"{r.word} {r.ratio:.2f}" for r in c.ratios[: -MOST_RATIOS - 1 : -1]]
                print_line(f"  nearer at {c.value} than at {c.against}: {', '.join(most)}")
                print_line(f"  nearer at {c.against}: {', '.join(least)}")
    for rare, n in term.left_out.items():
        print_line(f"  left out: {rare}, {number_of(n, 'observation')} of too few units")
