"""``eatlas protocol``: the eight criteria of a testing protocol on a measure, as a card."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from eatlas.cli.messages import output_of_a_command, print_line
from eatlas.cli.progress import bar_of
from eatlas.errors import ResultsError
from eatlas.measures import get_measure
from eatlas.writing import require_writable
from eatlas_workbench.cards.card import JSON, PAGE, lines_of, write_card
from eatlas_workbench.cards.evidence import read_card
from eatlas_workbench.cards.running import protocol as run


def protocol(
    measure: str,
    *,
    vectors: list[str] | None = None,
    tests: list[str] | None = None,
    criterion: list[str] | None = None,
    census: list[Path] | None = None,
    labels: list[Path] | None = None,
    counts: list[Path] | None = None,
    generated: list[Path] | None = None,
    representations: list[str] | None = None,
    answers: Path | None = None,
    out: Path | None = None,
) -> None:
    """Check a measure against eight criteria of validity and write a measure card.

    Each study gives figures, or says why it was not run. A card gives no verdict.

    Exit codes: 0 done, whatever was found; 2 the measure or an input cannot be used.

    Parameters
    ----------
    measure : SIGNATURE
        Any registered measure, such as weat, divdist or 'semaxis(vectors=unit)'.
    vectors : SOURCE|NAME=SOURCE
        What the measure needs: vectors, a language model, or a table of counts; may be repeated.
        [default: glove-sample for measures of vectors]
    tests : ID|BATTERY|FILE.toml
        Tests in addition to the tests of the studies; measures are also correlated over their
        targets. May be repeated.
    criterion : NAME
        Run only this criterion: face, content, convergent, predictive, hypothesis, consequential,
        inter-annotator, sensitivity; may be repeated. [default: all]
    census : FILE.csv|census
        Occupation proportions by group and year, for predictive validity; census for the tables of
        eatlas vectors fetch census; may be repeated.
    labels : FILE
        Labels by people, which eatlas annotate wrote; may be repeated, one for each annotator.
    counts : FILE
        Counts of a text, which eatlas text wrote; may be repeated, for other spans.
    generated : FILE
        Counts of texts that a model generated; may be repeated.
    representations : SOURCE
        Vectors of the model that learned from the text of --counts; may be repeated.
    answers : FILE.toml
        Answers to the questionnaire of consequences; the page of a card lists the questions.
    out : -o, --out DIR
        Folder for card.html and card.json; replaces an older card of the same measure. [default:
        no files]
    """
    if out is not None:
        require_writable(out / PAGE)
        require_writable(out / JSON)
        require_own_card(measure, out / JSON)
    with bar_of("studies") as tick:
        card = run(
            measure,
            vectors,
            tests=tests or None,
            census=census,
            labels=labels,
            counts=counts,
            generated=generated,
            representations=representations,
            answers=answers,
            criteria=cast("Any", criterion),
            progress=tick or False,
        )
    written = () if out is None else write_card(card, out)
    with output_of_a_command():
        for line in (*lines_of(card), *(f"written: {path}" for path in written)):
            print_line(line)


def require_own_card(measure: str, path: Path) -> None:
    """Refuse to write over the card of another measure."""
    signature = get_measure(measure).signature
    if path.is_file() and (there := read_card(path).signature) != signature:
        raise ResultsError(
            f"{path}: this file is the card of a different measure, which would be lost",
            got=there,
            allowed=signature,
            remedy="give another folder with --out",
        )
