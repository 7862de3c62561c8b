"""What commands print as tables: several settings, draws, diagnoses, designs, and plain rows."""

import re

import pytest
from rich.cells import cell_len
from rich.text import Text
from tests.inputs import TOML
from tests.tiny_models import make_model

import eatlas
from eatlas.cli.console import new_console, show, table_of
from eatlas.cli.messages import print_rows
from eatlas.cli.table import notes, print_results
from eatlas.notes import Note
from eatlas.numbers import brief_p, effect, interval
from eatlas.results import Results

TWO = ("--vectors", "plain=glove-sample", "--vectors", "centred=glove-sample?transform=center")
QUICK = ("--measure", "ml-eat(resamples=0)", "--frequency", "off")


def test_words_are_on_the_left_and_numbers_on_the_right(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rows = [("ant", "1", "six legs"), ("centipede", "1,000", "many")]
    show(new_console(), table_of(("animal", "n", "legs"), rows, "lrl"))
    head, rule, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["animal", "n", "legs"]
    assert set(rule) == {"─"}
    assert first.index("1") == second.index("1,000") + 4
    assert first.index("six") == second.index("many") == head.index("legs")


def test_labels_are_folded_and_names_are_not(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    label = "a-name-of-some-length\n" + "many words " * 5
    show(new_console(), table_of(("Test", "d"), [(Text(label), "1.0")]))
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("a-name-of-some-length ")
    assert len(lines) > 4
    assert max(map(len, lines)) <= 40


@pytest.mark.parametrize(
    ("align", "least", "expected"),
    [
        ("l", (), ["a    1", "bc  20"]),
        ("ll", (), ["a   1", "bc  20"]),
        ("lr", (4, 5), ["a         1", "bc       20"]),
    ],
)
def test_plain_rows(capsys, align, least, expected):
    print_rows([("a", "1"), ("bc", "20")], align, least=least)
    assert capsys.readouterr().out.splitlines() == expected


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
    tests = (
        part for test in ("weat-1", "weat-4", "weat-5", "weat-6") for part in ("--tests", test)
    )
    text = wide(80, *tests, *TWO, *QUICK)
    head, side_by_side = text.split("\nSide by side: ")
    said = " ".join(head.split())
    assert said.startswith(
        "2 sources: no significant difference between plain and centred is shown in four "
        "associations; d at level 1 changes by at most 0.10 (weat-5); two of four are supported in "
        "both sources"
    )
    assert "European" not in head, "the differences come at once"
    assert re.search(r"weat-1 +1\.17 supported +1\.21 supported +0\.04 \[", side_by_side)
    notes = " ".join(side_by_side.split())
    assert "weat-4, weat-5 (both sources): Names found in lower case" in notes
    assert notes.count("Names found in lower case") == 1
    assert "; their vectors mix both meanings. Also: weat-6 (both sources)." in notes
    assert max(map(cell_len, text.splitlines())) <= 80
    assert not re.search(r" +$", text, re.MULTILINE)


@pytest.mark.slow
def test_layers_and_prompts(wide, tmp_path):
    make_model(tmp_path / "bert", "bert")
    tests = ("--tests", "weat-6", "--tests", "weat-1")
    text = wide(80, *tests, "--vectors", "hf:bert?layer=all", *QUICK)
    assert re.match(
        r"bert: d at level 1 differs by at most \d\.\d\d \(weat-[16]\); none of two ", text
    )
    assert "hf:bert?" not in text
    assert "(all 4 layers): Unknown to the tokenizer" in text
    assert "side by side: 2 tests, 4 layers" in text.casefold()
    prompts = ("--prompt", "{}", "--prompt", "It is {}.")
    text = wide(80, *tests[:2], "--vectors", "t=hf:bert", *prompts, *QUICK)
    assert re.match(r"t: Male names (more than|against) Female names", text)
    assert "weat-6" in text.split("Side by side")[-1]
    assert "(both prompts)" in text


def test_figures_that_differ_are_ranges():
    base = eatlas.run("weat-6", measures="weat(resamples=0)", frequency="off")[0]
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
    ((_, text),) = notes(Results([*both, other]))
    assert text.endswith(" Also: weat-6 (GloVe 6B (100d), no layer).")


def test_what_designs_can_find(eatlas_cli, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(TOML)
    done = eatlas_cli("tests", "power", path, "weat-1", "sent-weat-6", "3,3", "1,1")
    assert (done.code, done.err) == (0, "")
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "tiny 4 v 4 .029 1.64 4 v 4 .029 1.64" in lines
    assert "weat-1 25 v 25 1.6e-14 0.75 25 v 25 1.6e-14 0.75" in lines
    assert "sent-weat-6 8 v 8 1.6e-4 1.20 8 v 8 1.6e-4 1.20" in lines
    assert "3,3 3 v 3 .10 none" in lines
    assert "1,1 1 v 1 1 none" in lines
    assert "d = 0.5: 60, d = 0.8: 22, d = 1.2: 9. For tests of sentences, sizes" in lines[-1]


GROUPS = {
    "British": ["london", "england", "british", "english", "oxford"],
    "French": ["paris", "france", "french", "lyon", "marseille"],
    "German": ["berlin", "germany", "german", "munich", "hamburg"],
    "Italian": ["rome", "italy", "italian", "milan", "turin"],
    "Spanish": ["madrid", "spain", "spanish", "barcelona", "seville"],
}
JOBS = ["chef", "nurse", "doctor", "teacher", "lawyer", "engineer", "scientist"]


@pytest.fixture(scope="module")
def both():
    of_groups = eatlas.GroupsTest(id="jobs", targets={"Jobs": JOBS}, groups=GROUPS)
    return Results([*eatlas.run(["weat-6", "weat-3"]), *eatlas.run(of_groups)])


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_findings_come_first_and_no_line_is_too_wide(both, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    print_results(both, full=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= columns
    before = " ".join(" ".join(lines).partition("Measured by")[0].split())
    for result, finding in zip(both, both.findings, strict=True):
        first, *others = finding.questions.values()
        assert first.sentence in before
        assert all(question.sentence in before for question in others)
        assert f"{result.test} " in before
    text = " ".join(" ".join(lines).split())
    assert ("Intervals are in the report." in text) == (columns < 200)
    assert "Reference: uniform." in text


@pytest.fixture(scope="module")
def caliskan():
    return eatlas.run()


def test_ten_tests_fit_a_screen(caliskan, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    print_results(caliskan)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) + len(["", "results:", "report:"]) <= 35
    assert max(map(cell_len, lines)) <= 100


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_rows_have_the_numbers_of_the_questions_below_their_verdict(
    caliskan, capsys, monkeypatch, columns
):
    monkeypatch.setenv("COLUMNS", str(columns))
    print_results(caliskan)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= columns
    text = " ".join(" ".join(lines).partition("level 2 results not listed")[0].split())
    names = "Supported", "In these word lists only: ", "Not significant"
    first = [text.index(name) for name in names]
    assert first == sorted(first)
    for result, finding in zip(caliskan, caliskan.findings, strict=True):
        for place, question in finding.questions.items():
            d, p = f"{effect(question.effect_size)} {interval(question.interval)}", question.p
            numbers = " ".join([d, *map(brief_p, (p.these, p.new, p.adjusted))])
            listed = place == "level1" or question.verdict != "not shown"
            assert (numbers in text) == listed, (result.test, place)
    assert "Holm" not in text
    for finding in caliskan.findings:
        reasons = {q.reason for q in finding.questions.values() if q.verdict == "these words"}
        assert all(f"In these word lists only: {reason}" in text for reason in reasons)


def test_a_table_of_all_numbers_in_place_of_findings(wide):
    text = wide(120, "--tests", "weat-6", *QUICK, "--table")
    assert re.search(r"^weat-6 +Male names / Female names +1\.72\*", text, re.MULTILINE)
    assert "BY-Singular" in text, "the pattern by the paper's rule"
    assert "are more strongly associated" not in text


def test_notes_that_change_no_conclusion_are_counted(caliskan, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    print_results(caliskan)
    brief = capsys.readouterr().out
    print_results(caliskan, full=True)
    whole = capsys.readouterr().out
    left_out = "differ in frequency: median ranks", "topics are less coherent than"
    assert all(note in whole and note not in brief for note in left_out)
    assert "2 more notes are in the report, with all numbers." in brief
    assert "more notes" not in whole


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("John", "home"), "; sensitive to “John” and “home”"),
        (tuple("abcdefg"), "; sensitive to 7 words"),
        ((), ""),
    ],
)
def test_a_finding_names_the_few_words_that_it_is_sensitive_to(
    both, capsys, monkeypatch, words, expected
):
    made = both[0].finding.model_copy(update={"sensitive_to": words})
    monkeypatch.setattr("eatlas.cli.table.findings_of", lambda *_: [made])
    print_results(Results([both[0]]))
    text = " ".join(capsys.readouterr().out.split())
    assert expected in text
    assert ("sensitive to" in text) == bool(words)
