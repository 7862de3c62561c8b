"""Collections of tests in many languages, in the forms in which they are published.

The lists in Hindi and German are lines of WEATHub (Mukherjee et al. 2023, CC BY 4.0), shortened;
those in the forms of XWEAT and CA-WEAT are made up.
"""

import json

import pytest

from eatlas import load_tests
from eatlas.errors import StimulusError, StimulusWarning
from eatlas.stimuli import to_toml
from eatlas_vocabulary.stimuli.collections import import_tests

ROWS = [
    {
        "language": "hi", "weat": "WEAT8",
        "targ1.category": "Science", "targ1.examples": ["विज्ञान", "भौतिक विज्ञान", "नासा"],
        "targ2.category": "Arts", "targ2.examples": ["कविता", "कला", "साहित्य"],
        "attr1.category": "MaleTerms", "attr1.examples": ["लड़का", "भाई", "वह", "उसका", "उसका"],
        "attr2.category": "FemaleTerms", "attr2.examples": ["महिला", "महिला", "लड़की", "वह", ""],
    },
    {
        "language": "de", "weat": "WEAT6",
        "targ1.category": "MaleNames", "targ1.examples": ["Andreas", "Anton"],
        "targ2.category": "FemaleNames", "targ2.examples": ["Emma", "Annemarie"],
        "attr1.category": "Career", "attr1.examples": ["Führungskraft", "Sozialen Aufstieg"],
        "attr2.category": "Family", "attr2.examples": ["Eltern", "Kinder", "Hochzeit", "Hochzeit"],
    },
]  # fmt: skip
LANG = "LANG\tTYPE\tWHO\tBIRTH PLACE\tWEAPONS\tFLOWERS\tINSTRUMENTS\tINSECTS\tPLEASANT\tUNPLEASANT"
LISTS = f"""{LANG}
de_AT1\toriginal\tanonymous\tGraz\tSpeer, Axt\tRose, Nelke\tOboe,Harfe\tFloh, Biene.\tGlück, Ruhe\tLärm, Ruhe, Neid
zh_HK_Hant2\toriginal\tanonymous\t香港\t刀,槍\t玫瑰、蘭花\t\t蜜蜂，螞蟻\t太陽,海\t汗,臭
"""
SET = {key: value for key, value in ROWS[1].items() if key.endswith("examples")}


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path

    return written


def test_weathub_in_all_its_forms(write, tmp_path):
    lines = write(
        "lines.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    )
    hindi, german = tests = import_tests(lines, "weathub")
    assert (hindi.id, hindi.language, hindi.A.name) == ("weathub-8-hi", "hi", "Male Terms")
    assert (hindi.A.terms, hindi.B.terms) == (("लड़का", "भाई", "उसका"), ("महिला", "लड़की"))
    assert "In both A and B, left out of both: 'वह'." in hindi.notes
    assert "Given more than once in B, taken once: 'महिला'." in hindi.notes
    assert "Empty cells of attr2 are left out." in hindi.notes
    assert "CC BY 4.0" in german.citation
    path = write("mine.toml", to_toml(tests))
    assert load_tests(path) == tests

    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    parquet.write_table(pa.Table.from_pylist(ROWS), tmp_path / "hub.parquet")
    nested = [
        {"language": row["language"], "weat": row["weat"]}
        | {key: {"category": row[f"{key}.category"], "examples": row[f"{key}.examples"]}
           for key in ("targ1", "targ2", "attr1", "attr2")}
        for row in ROWS
    ]  # fmt: skip
    one = write(
        "de_all/weat6.json", json.dumps({k: v for k, v in nested[1].items() if k[-1] in "12"})
    )
    for other in (tmp_path / "hub.parquet", write("rows.json", json.dumps(nested))):
        read = import_tests(other, "weathub", languages="de", tests="weat-6")
        assert [test.stimuli_sha256 for test in read] == [german.stimuli_sha256]
    (alone,) = import_tests(one, "weathub", test_id="own")
    assert (alone.id, alone.language, alone.X) == ("own", "de", german.X)
    assert alone.title == german.title == "WEAT6 of WEATHub, de"


def test_lists_of_ca_weat(write):
    with pytest.warns(StimulusWarning, match=r"ca-weat-2-zh_HK_Hant2 \(no terms are left of X\)"):
        tests = import_tests(write("lists.tsv", LISTS), "ca-weat")
    assert [(test.id, test.language) for test in tests] == [
        ("ca-weat-1-de_AT1", "de-AT"), ("ca-weat-2-de_AT1", "de-AT"),
        ("ca-weat-1-zh_HK_Hant2", "zh-Hant-HK"),
    ]  # fmt: skip
    first, _, chinese = tests
    assert first.Y.terms == ("Floh", "Biene")
    assert (first.A.terms, first.B.terms) == (("Glück",), ("Lärm", "Neid"))
    assert (chinese.X.terms, chinese.Y.terms) == (("玫瑰", "蘭花"), ("蜜蜂", "螞蟻"))
    head, german, _ = (line.split("\t") for line in LISTS.splitlines())
    content = {german[0]: dict(zip(head[1:], german[1:], strict=True))}
    path = write("lists.json", json.dumps(content))
    assert [t.X for t in import_tests(path, "ca-weat", tests=["WEAT2", "1"])] == [
        first.X, tests[1].X,
    ]  # fmt: skip
    moved = LISTS.replace("WHO", "REFERENCE").replace("anonymous", "España-Bonet et al. 2022")
    (alone,) = import_tests(write("X-WEAT.tsv", moved), "xweat", languages="de", tests="1")
    assert alone.X == first.X
    assert alone.citation.startswith("España-Bonet and Barrón-Cedeño (2022)")


def test_translations_of_xweat(write):
    words = ["math", "algebra", "poetry", "art", "male", "friend", "he", "she", "John"]
    rows = [f"{word},{word.upper()}-W," for word in words] + [",,", "female,weiblich,Weib", "man,,"]
    with pytest.warns(StimulusWarning, match="xweat-6-de"):
        tests = import_tests(write("vocab_en_de.csv", "\n".join(rows)), "xweat")
    (seven,) = (test for test in tests if test.id == "xweat-7-de")
    assert seven.B.terms[:3] == ("weiblich", "Weib", "woman")
    assert seven.X.terms[:3] == ("MATH-W", "ALGEBRA-W", "geometry")
    assert any(note.startswith("Not translated: geometry, calculus") for note in seven.notes)


@pytest.mark.parametrize(
    ("content", "form", "choice", "parts"),
    [
        (json.dumps(ROWS), "weathub", {"languages": "fr"}, ["no test in 'fr'", "allowed: de, hi"]),
        (json.dumps(ROWS), "weathub", {"tests": "WEAT5"}, ["no test 'weat5'", "WEAT8, WEAT6"]),
        (json.dumps(ROWS), "weathub", {"test_id": "x"}, ["an id is for one test", "got: 2 tests"]),
        (json.dumps(SET), "weathub", {}, ["the language of its words", "--language de"]),
        (json.dumps(SET), "weathub", {"languages": "german"}, ["no test can be", "BCP 47"]),
        ('{"targ1": 3}', "weathub", {}, ["no list of words in the column targ1"]),
        ("{", "weathub", {}, ["this is not WEATHub", "Parquet"]),
        ("[3]", "weathub", {}, ["not rows of tests"]),
        (
            "a\tb\n1\t2\n",
            "ca-weat",
            {},
            ["no list of words in the column FLOWERS", "CA-WEATv3.tsv"],
        ),
        ("", "xweat", {}, ["the language of its words"]),
        ('{"de1": 3}', "ca-weat.json", {}, ["not rows of tests", "CA-WEATv3.json"]),
        ("", "wefe", {}, ["no collection 'wefe'"]),
    ],
)
def test_what_cannot_be_imported(write, content, form, choice, parts):
    form, _, ending = form.partition(".")
    path = write(f"file.{ending or 'csv'}", content)
    with pytest.raises(StimulusError) as raised:
        import_tests(path, form, **choice)
    assert all(part in str(raised.value) for part in parts), str(raised.value)
