"""Themes that are computed again from their record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eatlas
from eatlas_vocabulary.engine import verify_themes
from eatlas_vocabulary.results.themes import ThemesResult, read_themes

GROUPS = {"Male": ["he", "him", "man", "boy"], "Female": ["she", "her", "woman", "girl"]}
THEMES = {
    "Faith": ["church", "priest", "holy", "qqxq"],
    "School": ["school", "teacher", "pupil"],
    "War": ["army", "soldier", "rebel", "war"],
}


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Themes by clustering, the first of which the user named."""
    path = tmp_path_factory.mktemp("themes") / "words.csv"
    names = {theme.name: f"Theme {i}" for i, theme in enumerate(found(themes=6).themes)}
    eatlas.scan("glove-sample", GROUPS, themes=6, first=400, names=names, out=path)
    return path


def found(**how) -> ThemesResult:
    result = eatlas.scan("glove-sample", GROUPS, first=400, **how)
    assert isinstance(result, ThemesResult)
    return result


def changed(result: ThemesResult, change) -> ThemesResult:
    record = json.loads(result.model_dump_json())
    change(record)
    return ThemesResult.model_validate(record)


def verdict(result: ThemesResult, **how):
    (only,) = eatlas.verify(result, **how)
    return only


def test_clustered_themes_are_the_same_and_a_changed_table_is_said(clustered, tmp_path):
    result = read_themes(clustered)
    same = verdict(result)
    assert (same.status, same.details) == (
        "same",
        ("taken from the file: the names of the themes",),
    )
    rows = clustered.read_text("utf-8").splitlines()
    theme, word, rank, near, difference = rows[3].rsplit(",", 4)
    rows[3] = ",".join((theme, word, rank, f"{float(near) + 1e-6:.6f}", difference))
    rows[4] = rows[4].replace(rows[4].rsplit(",", 4)[1], "other")
    table = tmp_path / "words.csv"
    table.write_text("\n".join(rows) + "\n", "utf-8")
    other = verdict(result.model_copy(update={"words_file": str(table)}))
    assert other.details[0] == f"words.csv: 1 row of {len(rows) - 1:,} differ, the first in line 5"


def test_stability_is_compared_with_the_same_version_and_taken_over_from_another(clustered):
    def change(record):
        record["themes"][0]["stability"] = 0.9
        record["clustering"]["by"] = "scikit-learn 0.1"

    def by_this_version(record):
        record["themes"][0]["stability"] = 0.9

    result = read_themes(clustered)
    differs = verdict(changed(result, by_this_version))
    assert (differs.status, differs.details[0]) == (
        "differs", f"themes.Theme 0.stability: 0.9 in the file, {result.themes[0].stability} now",
    )  # fmt: skip
    same = verdict(changed(result, change))
    assert same.status == "same"
    assert "their stability, made by scikit-learn 0.1, here is" in same.details[0]


@pytest.mark.slow
def test_a_word_of_another_cluster_is_said(clustered):
    def change(record):
        first, second = (record["themes"][i]["words"] for i in (0, 1))
        first[-1], second[-1] = second[-1], first[-1]

    differs = verdict(changed(read_themes(clustered), change))
    assert differs.status == "differs"
    assert any(line.startswith("themes.Theme 0.words: ") for line in differs.details)
    assert "as 2 of 6 clusters came out with other words" in differs.details[-1]


def test_every_number_of_categories_is_compared():
    result = found(themes=THEMES)
    same = verdict(result)
    assert (same.status, same.against) == ("same", "")
    assert same.details == (
        "taken from the file: the names of the themes; the words of the themes",
    )
    for place, value in {
        "difference": 0.01, "effect_size": 0.1, "interval": [0.1, 0.2], "p": 0.01, "p_max_t": 0.02,
        "means": {"A": 0.1, "B": 0.2}, "n": 7, "associated": [], "words": ["church", "priest"],
    }.items():  # fmt: skip
        differs = verdict(
            changed(result, lambda record, to=(place, value): record["themes"][0].update([to]))
        )
        assert differs.status == "differs", place
    for place, value in {"total": 71, "shared": 0.5, "covariates": [], "alpha": 0.01}.items():
        differs = verdict(changed(result, lambda record, to=(place, value): record.update([to])))
        assert any(line.startswith(place) for line in differs.details), place


def test_units_and_halves_are_compared_and_a_search_with_all_words_is_repeated():
    result = eatlas.scan("glove-sample", "divdist-gender", themes=THEMES, first=400)
    assert result.held_out
    assert result.units.clusters["A"]
    assert verdict(result).status == "same"

    def moved(record):
        record["held_out"]["A"].append(record["held_out"]["A"].pop(0))
        record["held_out"]["A"][0] = result.searched["A"][0]

    def none(record):
        del record["held_out"]

    def single(record):
        record["units"]["clusters"]["A"] = []

    for change, place in ((moved, "held_out"), (none, ""), (single, "units.clusters")):
        differs = verdict(changed(result, change))
        assert differs.status == "differs", place
        assert any(line.startswith(place) for line in differs.details)
    every = eatlas.scan("glove-sample", "divdist-gender", themes=THEMES, first=400, split=False)
    assert verdict(every).status == "same"


def test_groups_are_those_of_the_test_that_is_known():
    result = eatlas.scan("glove-sample", "divdist-race", themes=THEMES, first=400)
    assert verdict(result).against == "built in"

    def change(record):
        record["concepts"]["G1"] = "Others"
        record["coverage"]["G1"]["used"].pop()

    differs = verdict(changed(result, change))
    assert any("concepts.G1: 'Others' in the file" in line for line in differs.details)
    assert any(line.startswith("coverage.G1.used") for line in differs.details)
    unknown = verdict(changed(result, lambda record: record.update(test="nobodys")))
    assert (unknown.status, unknown.against) == ("same", "")


def test_groups_of_names_are_taken_from_the_file(tmp_path):
    names = tmp_path / "names.txt"
    terms = eatlas.load_tests("divdist-race")[0]
    words = [word for group in terms.groups for word in group.terms]
    names.write_text("\n".join(words), "utf-8")
    result = eatlas.scan("glove-sample", groups_from=names, groups=2, themes=THEMES, first=400)
    same = verdict(result)
    assert same.status == "same"
    assert same.details[0].endswith("the groups, which come from names.txt")


def test_another_source_and_one_that_would_run_code():
    result = found(themes=THEMES)
    other = eatlas.open_vectors("glove-sample?transform=center")
    differs = verdict(result, vectors={"glove-sample": other})
    assert differs.details[0].startswith("provenance.source_fingerprint")
    refused = verdict(result.model_copy(update={"source": "py:evil:f"}))
    assert (refused.status, "would import" in refused.details[0]) == ("refused", True)
    gone = verdict(result.model_copy(update={"source": "gone.txt"}))
    assert (gone.status, "--vectors gone.txt=PATH" in gone.details[1]) == ("not repeated", True)
    odd = verdict(result.model_copy(update={"signature": "themes(1)"}))
    assert odd.details == ("this is not a signature of themes",)


def test_without_scikit_learn_it_is_said(monkeypatch):
    def missing(name):
        raise verify_themes.PackageNotFoundError

    monkeypatch.setattr(verify_themes, "version", missing)
    assert verify_themes._other_version("scikit-learn 1").endswith("which is not installed here")
