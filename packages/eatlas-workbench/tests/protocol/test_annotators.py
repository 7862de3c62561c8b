"""Agreement of annotators, and people against the measure and against co-occurrence."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from scipy.stats import spearmanr
from tests.protocol.cards import found

import eatlas
from eatlas.errors import UndefinedWarning
from eatlas_workbench.annotation import load_items, read_labels
from eatlas_workbench.annotation.items import LabelJournal

WOMEN = {"nurse": 9, "dancer": 7, "librarian": 6, "soldier": 1, "pilot": 2, "carpenter": 4}
"""Of ten texts of a profession so many are about a woman."""


def text_of(folder: Path) -> Path:
    """Ten documents of four sentences for each profession; pronouns in the second and fourth."""
    lines = []
    for term, women in WOMEN.items():
        for k in range(10):
            she = "She" if k < women else "He"
            lines.append(f"On day {k} the {term} rose. {she} ate. It rained. {she} saw number {k}.")
    path = folder / "text.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Items, labels of three people, and counts of three spans, of one text."""
    folder = tmp_path_factory.mktemp("labels")
    text = text_of(folder)
    contexts = eatlas.find_contexts(text, "divdist-face-validity", window=20)
    items = eatlas.sample_items(contexts, "divdist-face-validity", per_target=10)
    items.write(folder / "items.csv")
    rows = list(csv.DictReader((folder / "items.csv").read_text().splitlines()))
    people = [folder / f"{name}.csv" for name in ("anna", "ben", "cleo")]
    for j, path in enumerate(people):
        with path.open("w", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            for i, row in enumerate(rows):
                label = "Female" if " She " in row["text"] else "Male"
                table.writerow(row | {"label": "none" if (i + j) % 15 == 0 else label})
    counts = []
    for span in (5, 1, 2):
        counts.append(folder / f"counts-{span}.csv")
        with pytest.warns(UndefinedWarning):
            eatlas.count_text(text, "divdist-gender", span=span).write(counts[-1])
    return {"labels": [folder / "items.csv", *people], "counts": counts}


def test_agreement_is_that_of_the_labels(files: dict[str, list[Path]]) -> None:
    evidence = found("inter-annotator", labels=files["labels"])["agreement"]
    labels = read_labels(load_items(files["labels"][0]), files["labels"][1:])
    theirs = labels.agreement()
    coefficients = (theirs.alpha, theirs.kappa, theirs.agreement)
    for figure, coefficient in zip(evidence.figures, coefficients, strict=True):
        assert (figure.n, figure.of) == (60, "contexts")
        assert (figure.value, (figure.low, figure.high)) == (
            coefficient.value,
            coefficient.interval,
        )
    assert evidence.tables[0].rows == (("anna", 60), ("ben", 60), ("cleo", 60))
    assert len(evidence.tables[2].rows) == 3


def test_people_against_the_measure(files: dict[str, list[Path]]) -> None:
    evidence = found("inter-annotator", labels=files["labels"])["human-associations"]
    (table,) = evidence.tables
    assert table.columns[:3] == ("target", "association with Female", "people: share of Female")
    people = {row[0]: row[2] for row in table.rows}
    assert people == pytest.approx({term: women / 10 for term, women in WOMEN.items()}, abs=0.06)
    (result,) = eatlas.run("divdist-face-validity", "glove-sample", "semaxis")
    values = {one.term: one.value for one in result.targets}
    figure = evidence.figure("rho, association with Female")
    sign = 1 if values["nurse"] * {row[0]: row[1] for row in table.rows}["nurse"] > 0 else -1
    rho = spearmanr([sign * values[term] for term in people], list(people.values())).statistic
    assert figure.value == pytest.approx(rho)
    assert figure.n == 6


def test_people_against_co_occurrence_by_span(files: dict[str, list[Path]]) -> None:
    evidence = found("convergent", "mac", {"she": [1.0, 0.0]}, **files)["text-by-span"]
    (table,) = evidence.tables
    assert [row[0] for row in table.rows] == [1, 2, 5]
    assert evidence.figure("rho, share of Female, 2 sentences").value == pytest.approx(1.0)
    assert evidence.figure("rho, share of Female, 5 sentences").p == pytest.approx(2 / 120)
    assert "2 sentences: no association with a group of pilot." in evidence.remarks  # not counted
    # the pronoun is never in the sentence that names the profession
    assert evidence.figure("rho, share of Female, 1 sentence").value is None
    assert any(one.startswith("1 sentence: no association with a group of") for one in
               evidence.remarks)  # fmt: skip
    marks = [(one.label, one.group) for one in evidence.drawings[0].marks]
    assert marks == [(label, "Female") for label in ("1 sentence", "2 sentences", "5 sentences")]


def test_labels_that_are_all_the_same_have_no_alpha(files: dict[str, list[Path]]) -> None:
    items = load_items(files["labels"][0])
    path = files["labels"][0].with_name("mine.csv")
    items.write(path)
    with LabelJournal(path.with_name("mine.labels.jsonl"), items) as journal:
        for name in ("anna", "ben"):
            for item in items.rows[:5]:
                journal.label(name, item.id, "Male")
    evidence = found("inter-annotator", labels=path)["agreement"]
    assert evidence.figure("agreement").value == 1.0
    assert evidence.figure("Krippendorff's alpha").value is None
    assert any("labels that can be compared are the same" in line for line in evidence.remarks)


def test_what_is_not_run_says_why(files: dict[str, list[Path]], tmp_path: Path) -> None:
    only = found("convergent", "mac", {"she": [1.0, 0.0]}, labels=files["labels"])["text-by-span"]
    assert only.not_run.startswith("Nothing was given by --counts, of the text that the contexts")
    odd = tmp_path / "odd.csv"
    odd.write_text(files["labels"][1].read_text().replace(",Male,", ",man,"))
    bad = found("inter-annotator", labels=[files["labels"][0], odd])["agreement"]
    assert "man" in bad.not_run
    assert "Female, Male, none" in bad.not_run
