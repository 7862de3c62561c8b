"""What the terminal prints of several settings: names, a matrix, Holm and notes said once."""

import re

import pytest
from rich.cells import cell_len
from tests.tiny_models import make_model

import eatlas
from eatlas.cli.table import notes
from eatlas.notes import Note
from eatlas.results import Results

TWO = ("--vectors", "plain=glove-sample", "--vectors", "centred=glove-sample?transform=center")
QUICK = ("--measure", "ml-eat(resamples=0)", "--frequency", "off")
TESTS = ("--tests", "weat-1", "--tests", "weat-4", "--tests", "weat-5", "--tests", "weat-6")


@pytest.fixture
def wide(eatlas_cli, monkeypatch):
    """A run in a terminal of so many columns."""

    def call(columns, *arguments):
        monkeypatch.setenv("COLUMNS", str(columns))
        ended = eatlas_cli("run", *arguments)
        assert ended.code == 0, ended.err
        return ended.out

    return call


def test_two_sources(wide):
    text = wide(80, *TESTS, *TWO)
    assert "ML-EAT on centred\n" in text
    assert "side by side" in text.casefold()
    assert re.search(r"weat-1 +■□ 1\.17\* +□□ 1\.21\* +AX-Singular →\n", text)
    assert len(re.findall("Holm over", text)) == 2  # a line for each setting
    assert len(re.findall(r"filled square where they are associated", text)) == 1
    assert "weat-4, weat-5 (both sources): Names found in lower case" in text
    # every sentence on a test names its source
    for line in text.splitlines():
        if re.match(r"weat-\d+ .*(resamples|: [A-Z])", line):
            assert re.match(r"weat-\d+.* \((plain|centred|both sources)\)", line), line
    tables = [line for line in text.splitlines() if set("□■─").intersection(line)]
    assert max(map(cell_len, tables)) <= 80
    assert not re.search(r" +$", text, re.MULTILINE)


def test_layers_and_prompts(wide, tmp_path):
    make_model(tmp_path / "bert", "bert")
    text = wide(
        80, "--tests", "weat-6", "--tests", "weat-1", "--vectors", "hf:bert?layer=all", *QUICK
    )
    assert "on bert, layer 0\n" in text
    assert "hf:bert?" not in text
    assert "weat-6 (layer 1)" in text
    assert "(all 4 layers): Unknown to the tokenizer" in text
    assert "side by side: 2 tests, 4 layers" in text.casefold()
    text = wide(
        80,
        "--tests",
        "weat-6",
        "--vectors",
        "t=hf:bert",
        "--prompt",
        "{}",
        "--prompt",
        "It is {}.",
        *QUICK,
    )
    assert "weat-6 (prompt “It is {}.”)" in text
    assert "(both prompts)" in text


def test_figures_that_differ_are_ranges():
    base = eatlas.run("weat-6", measures="weat(resamples=0)")[0]
    values = {"terms": 12, "iso_score": 0.18, "limit": 0.2}
    said = [Note("space.iso-score", values={**values, "iso_score": i}) for i in (0.18, 0.05)]
    both = Results(
        base.model_copy(update={"warnings": (note,), "source": f"hf:m?layer={n}"})
        for n, note in enumerate(said)
    )
    ((who, text),) = notes(both)
    assert who == "weat-6 (both layers)"
    assert text.startswith("IsoScore of these 12 terms is 0.05 to 0.18, at or below 0.2: ")
    note = Note("space.iso-score", values={**values, "terms": 13})
    other = base.model_copy(update={"warnings": (note,)})
    assert len(list(notes(Results([*both, other])))) == 2
