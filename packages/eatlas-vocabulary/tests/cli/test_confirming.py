"""From exploring to testing: tests of the themes found, with other words and with the same."""

import json
from pathlib import Path
from string import ascii_lowercase

import jsonschema
import numpy as np
import pytest

import eatlas
from eatlas.errors import EatlasError
from eatlas.results.json_lines import json_schema
from eatlas.stats.multiplicity import holm
from eatlas.stimuli import load_tests
from eatlas.stimuli.toml import write_toml
from eatlas_vocabulary.results.themes import read_scan

WORDS = {group: [f"{group}{letter}" for letter in ascii_lowercase[:16]] for group in ("he", "she")}
THEMES = {name: [f"{name}{i}" for i in ascii_lowercase[:12]] for name in ("sport", "home", "sky")}
DIM = 40
QUICK = "ml-eat(resamples=0,frequency=off)"
LEANS = {"sport": 2.0, "home": -2.0, "sky": 0.0}


def vectors(path, leans=LEANS, seed=0, without=()):
    """Write vectors whose first component tells the groups apart; themes have so much of it."""
    rng = np.random.default_rng(seed)
    rows = {}
    for mean, words in [(1.0, WORDS["he"]), (-1.0, WORDS["she"])]:
        # noise of its own directions: no word is a near-synonym of another
        rows |= {word: rng.normal(0, 0.15, DIM) + mean * np.eye(DIM)[0] for word in words}
    for theme, words in THEMES.items():
        centre = rng.normal(size=DIM)
        centre[0] = leans[theme]
        rows |= {word: centre + rng.normal(0, 0.3, DIM) for word in words}
    lines = [f"{w} {' '.join(f'{x:.5f}' for x in row)}" for w, row in rows.items()]
    path.write_text("\n".join(line for line in lines if line.split()[0] not in without) + "\n")
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("confirming")
    vectors(folder / "one.txt")
    vectors(folder / "second.txt", seed=1, without=("sporta",))
    vectors(folder / "other.txt", dict.fromkeys(LEANS, 0.0), seed=2)
    vectors(folder / "against.txt", {name: -lean for name, lean in LEANS.items()}, seed=3)
    return folder


@pytest.fixture(scope="module")
def found(folder):
    return eatlas.scan(str(folder / "one.txt"), WORDS, themes=THEMES, out=folder / "words.csv")


@pytest.fixture(scope="module")
def file(folder, found):
    found.write_tests(folder / "tests.toml")
    return str(folder / "tests.toml")


def test_a_test_of_each_theme_that_was_found(found, monkeypatch):
    monkeypatch.setattr("eatlas_vocabulary.results.themes.MOST_TERMS", 10)
    sport, home = sorted(found.tests(), key=lambda test: test.id, reverse=True)
    assert (sport.id, home.id) == ("theme-sport", "theme-home")
    assert (sport.X.name, sport.Y.name) == ("sport", "home")
    assert (home.X.name, home.Y.name) == ("home", "sport")
    searched = {found.concepts[role]: {*words} for role, words in found.searched.items()}
    (theme,) = (theme for theme in found.themes if theme.name == "sport")
    assert sport.X.terms == theme.words[:10]
    assert {*theme.words} - {*sport.X.terms} == {*theme.words[10:]}
    for test, towards in ((sport, "A"), (home, "B")):
        assert [test.A.name, test.B.name] == ["he", "she"]
        for part in (test.A, test.B):  # what the search did not use
            assert len(part.terms) == 8
            assert {*part.terms} == {*WORDS[part.name]} - searched[part.name]
        origin = test.explored_on
        assert {*origin.words} == searched["he"] | searched["she"]
        assert (test.explored, origin.themes, origin.theme) == (3, 3, test.X.name)
        assert (origin.towards, origin.fingerprint) == (
            towards,
            found.provenance.source_fingerprint,
        )
        assert "of 12 words" in test.notes[0]
    assert len(found.tests(top=3)) == 3
    assert found.tests(top=1) == (
        next(t for t in found.tests() if t.X.name == found.found[0].name),
    )
    for test in found.tests(of_searched_words=True):
        assert {*test.A.terms} == searched["he"]
        assert "Only other words can confirm the theme" in test.notes[-1]


def test_the_file_of_a_scan_makes_the_same_tests(folder, found, file):
    assert read_scan(folder / "words.csv").tests() == found.tests() == load_tests(file)


def test_some_sources_confirm_and_some_do_not(folder, file):
    one, again, other, against = (
        str(folder / f"{name}.txt") for name in ("one", "second", "other", "against")
    )
    sources = [one, again, other, against, f"{one}?transform=center"]
    results = eatlas.run(file, sources, QUICK)
    said = eatlas.confirmations(results)
    assert [c.verdict for c in said] == (
        ["confirmed"] * 4 + ["not confirmed"] * 4 + ["confirmed"] * 2
    )
    assert [c.same_vectors for c in said] == [True] * 2 + [False] * 8
    assert [c.other_side for c in said[-4:-2]] == [True, True]
    assert {(c.group, c.found.towards) for c in said} == {("he", "A"), ("she", "B")}
    for start in (0, 2, 4, 6):
        pair = results[start : start + 2]
        raw = np.array([result.level2.X.p.two_sided for result in pair])
        assert [c.adjusted for c in said[start : start + 2]] == holm(raw).tolist()
        assert {c.together for c in said[start : start + 2]} == {2}
    codes = [[note.code for note in result.warnings] for result in results]
    assert not any("stimuli.same-words" in some for some in codes)
    assert all("stimuli.theme" in some and "stimuli.explored" not in some for some in codes)
    # the other source lacks a word, which its coverage says
    missing = {result.test: result.coverage["X"].missing for result in results[2:4]}
    assert missing == {"theme-sport": ("sporta",), "theme-home": ()}
    assert {verdict.status for verdict in eatlas.verify(results)} == {"same"}
    lines = [result.to_dict() for result in results[:1]]
    del lines[0]["provenance"]["explored_on"]
    forged = type(results[0]).from_dict(lines[0])
    (verdict,) = eatlas.verify([forged])
    assert verdict.status == "differs"
    assert any("labels_sha256" in line for line in verdict.details)
    assert not any("explored_on" in line for line in verdict.details)
    (verdict,) = eatlas.verify([forged], tests=file)
    assert any(line.startswith("provenance.explored_on: None") for line in verdict.details)


@pytest.mark.parametrize("change", [str, str.upper])
def test_words_of_the_search_confirm_nothing_on_any_vectors(folder, found, change):
    """All of them, or a single one among others, in capitals or not."""
    (test,) = (each for each in found.tests() if each.X.name == "sport")
    (searched,) = (each for each in found.tests(of_searched_words=True) if each.X.name == "sport")
    word = searched.A.terms[0]
    mixed = test.model_copy(
        update={"A": test.A.model_copy(update={"terms": (*test.A.terms, change(word))})}
    )
    vectors(folder / "capitals.txt")
    text = (folder / "capitals.txt").read_text()
    (folder / "capitals.txt").write_text(text.replace(f"{word} ", f"{change(word)} "))
    for source in ("capitals", "second" if change is str else "capitals"):
        results = eatlas.run([mixed], str(folder / f"{source}.txt"), QUICK)
        (said,) = eatlas.confirmations(results)
        assert (said.verdict, said.same, said.adjusted) == ("same words", (change(word),), None)
        (note,) = (n for n in results[0].warnings if n.code == "stimuli.same-words")
        assert f"sport was found with {change(word)}, so a test of these words cannot" in str(note)
        assert results[0].finding.sentence.startswith(
            "Tested with words of the search, so the theme is not confirmed: "
        )
    (said,) = eatlas.confirmations(eatlas.run([searched], str(folder / "second.txt"), QUICK))
    assert {*said.same} == {*searched.A.terms, *searched.B.terms}
    assert "confirmed" not in said.verdict


def test_groups_of_few_units_are_not_split_and_nothing_is_confirmed(folder, eatlas_cli, tmp_path):
    few = {name: words[:7] for name, words in WORDS.items()}
    result = eatlas.scan(str(folder / "one.txt"), few, themes=THEMES)
    assert (result.held_out, result.searched["A"]) == ({}, tuple(few["he"]))
    tests = result.tests()
    assert tests
    said = eatlas.confirmations(
        eatlas.run(tests, [str(folder / f"{n}.txt") for n in ("one", "second")])
    )
    assert {each.verdict for each in said} == {"same words"}
    other = {
        role: test.concepts[role].model_copy(update={"terms": tuple(WORDS[name][7:])})
        for test in tests[:1]
        for role, name in (("A", "he"), ("B", "she"))
    }
    (said,) = eatlas.confirmations(
        eatlas.run(tests[0].model_copy(update=other), str(folder / "one.txt"))
    )
    assert said.verdict == "confirmed"


def test_findings_and_titles_say_so(folder, found, file, eatlas_cli, tmp_path):
    one, same = folder / "one.txt", folder / "same.toml"
    write_toml(found.tests(of_searched_words=True), same)
    ended = eatlas_cli("run", "--tests", same, "--vectors", one, "--measure", QUICK, "--out", "one")
    first = " ".join(ended.out.split("\n\n")[0].split())
    assert "tested with words of the search, so no theme is confirmed" in first.split("theme-")[0]
    assert first.count("Tested with words of the search, so the theme is not confirmed: ") == 2
    ended = eatlas_cli("run", "--tests", file, "--vectors", one, "--out", "two")
    said = ended.said
    assert "themes confirmed: 2 of 2" in " ".join(ended.out.splitlines()[:3])
    assert "Confirmed with other words on the same vectors: sport with he, d = " in said
    ended = eatlas_cli(
        "run", "--tests", file, "--vectors", folder / "against.txt", "--out", "three"
    )
    assert (
        "Not confirmed with other words, with the opposite sign: sport with he, d = −" in ended.said
    )
    for name, words in (("one", "so no theme is confirmed"), ("two", "themes confirmed: 2 of 2")):
        page = (tmp_path / name / "report.html").read_text("utf-8")
        head = page[: page.index("</h1>")]
        assert words in head
        assert ("for words that the search did not use" in page) == (name == "two")
        assert "is one of 3 themes of a search of" in page
        assert "towards he: maxT p" in page.replace("\N{NO-BREAK SPACE}", " ")
    assert eatlas_cli("verify", "one/results.jsonl", "two/results.jsonl").code == 0


@pytest.mark.parametrize("measure", ["weat", "sc-eat", "divdist(resamples=0)"])
def test_measures_without_level_2_confirm_nothing(folder, file, measure, tmp_path):
    results = eatlas.run(load_tests(file)[:1], str(folder / "other.txt"), measure)
    (said,) = eatlas.confirmations(results)
    assert said.verdict == "not tested"
    assert "onfirm" not in str(results[0].finding)
    eatlas.write_report(results, tmp_path / "page.html")
    assert "is one of 3 themes of a search of" in (tmp_path / "page.html").read_text("utf-8")
    assert [verdict.status for verdict in eatlas.verify(results)] == ["same"]


def test_frequency_is_accounted_for(found):
    """On a source with ranks, level 2 of X given these is what counts."""
    (test,) = found.tests(top=1)
    (weat,) = load_tests("weat-8")
    here = weat.model_copy(update={"id": "theme", "explored_on": test.explored_on})
    results = eatlas.run(here, "glove-sample", QUICK)
    (result,), (said,) = results, eatlas.confirmations(results)
    assert said.effect.d == result.adjusted.level2.X.effect_size != result.level2.X.effect_size
    assert said.adjusted == result.adjusted.level2.X.p.two_sided
    off = eatlas.run(here, "glove-sample", "ml-eat(resamples=0,adjust=none)")
    assert eatlas.confirmations(off)[0].verdict == "not tested"


HOSTILE = {
    'say "hi", he\'s; a=b #?': "hostile",
    "\N{HEBREW LETTER SHIN}\N{HEBREW LETTER LAMED}\N{RIGHT-TO-LEFT OVERRIDE}": "hebrew",
    "<script>alert(1)</script>": "script",
    "a b": "first", "A, B": "second", "\x7f\\ ''' \"\"\" ": "quotes", "=SUM(A1)": "formula",
}  # fmt: skip


def test_hostile_names_round_trip(folder, eatlas_cli, tmp_path):
    names = [*HOSTILE]
    themes = {
        name: [f"sport{c}" for c in ascii_lowercase[i % 3 : 6 + i % 5]]
        for i, name in enumerate(names)
    }
    themes["none"] = THEMES["home"]
    found = eatlas.scan(str(folder / "one.txt"), WORDS, themes=themes)
    tests = found.tests()
    assert len(tests) == len({test.id for test in tests}) == 8
    assert {test.X.name for test in tests} == {name.strip() for name in themes}
    assert all(not {*test.X.terms} & {*test.Y.terms} for test in tests)
    found.write_tests(tmp_path / "hostile.toml")
    assert load_tests(str(tmp_path / "hostile.toml")) == tests
    other = folder / "other.txt"
    ended = eatlas_cli("run", "--tests", "hostile.toml", "--vectors", other, "--measure", QUICK)
    assert (ended.code, ended.err) == (0, "")
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "<script>alert(1)" not in page
    assert eatlas_cli("verify", "out/results.jsonl").code == 0


def test_more_than_two_groups(folder):
    groups = {"men": WORDS["he"], "women": WORDS["she"][:8], "more": WORDS["she"][8:]}
    result = eatlas.scan(str(folder / "one.txt"), groups, themes=THEMES)
    tests = {test.X.name: test for test in result.tests()}
    for theme in result.found:
        test, means = tests[theme.name], theme.means
        high, low = (result.concepts[f(means, key=means.get)] for f in (max, min))
        assert (test.A.name, test.B.name, test.explored_on.towards) == (high, low, "A")
        held_out = {*result.held_out["G1"], *result.held_out["G2"], *result.held_out["G3"]}
        assert {*test.A.terms, *test.B.terms} < held_out
    assert tests["sport"].A.name == "men"
    assert tests["sport"].Y.name == "home"


def test_groups_that_were_made_of_names(folder, tmp_path):
    (tmp_path / "names.txt").write_text("\n".join(WORDS["he"] + WORDS["she"]))
    source, names = str(folder / "one.txt"), tmp_path / "names.txt"
    result = eatlas.scan(source, groups_from=names, groups=2, themes=THEMES)
    test = result.tests()[0]
    assert {frozenset(test.A.terms), frozenset(test.B.terms)} == {*map(frozenset, WORDS.values())}
    assert "A and B: clusters of the words of names.txt on " in test.notes[2]
    assert result.held_out == {}
    (said,) = eatlas.confirmations(eatlas.run(test, source))
    assert said.verdict == "same words"


def test_nothing_found(folder, eatlas_cli, tmp_path):
    one, sky = str(folder / "one.txt"), THEMES["sky"]  # groups that are parts of one theme
    themes = {name: THEMES[name] for name in ("sport", "home")}
    result = eatlas.scan(one, {"first": sky[::2], "second": sky[1::2]}, themes=themes)
    assert result.tests() == ()
    with pytest.raises(EatlasError, match="no tests to write") as info:
        result.write_tests(tmp_path / "none.toml")
    assert "top=1" in info.value.remedy
    result.write_tests(tmp_path / "top.toml", top=1)
    assert load_tests(str(tmp_path / "top.toml"))[0].explored_on.p_max_t > 0.05
    rows = [f"{name},{word}" for name, words in themes.items() for word in words]
    (tmp_path / "themes.csv").write_text("theme,word\n" + "\n".join(rows) + "\n")
    groups = ("--a", ",".join(sky[::2]), "--b", ",".join(sky[1::2]))
    scan = ("scan", "--vectors", one, *groups, "--themes", "themes.csv")
    ended = eatlas_cli(*scan, "--write", "new.toml")
    assert ended.code == 0
    assert ended.out.endswith("tests:   none, as no theme was found; new.toml was not written\n")
    assert not (tmp_path / "new.toml").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--write", "t.csv", "--themes", 2), "t.csv: tests cannot be written in this format"),
        (("--write", "t.toml"), "--write belongs to --themes"),
        (("--write", "mine.toml", "--themes", 2), "this is also the input file"),
    ],
)
def test_what_cannot_be_written_is_refused_first(eatlas_cli, tmp_path, options, said):
    load_tests("weat-7")[0].save(tmp_path / "mine.toml")
    ended = eatlas_cli("scan", "--vectors", "glove-sample", "--attributes", "mine.toml", *options)
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_scan_writes_tests_that_run(folder, eatlas_cli, tmp_path):
    a, b = (",".join(words) for words in WORDS.values())
    ended = eatlas_cli(
        "scan", "--vectors", folder / "one.txt", "--a", a, "--b", b, "--themes", 3, "--write", "t.toml"
    )  # fmt: skip
    assert ended.code == 0
    assert "eatlas run --tests t.toml --vectors" in ended.out
    assert eatlas_cli("tests", "check", "t.toml").code == 0
    ended = eatlas_cli(
        "run", "--tests", "t.toml", "--vectors", folder / "other.txt", "--measure", QUICK, "--json"
    )
    records = [json.loads(line) for line in ended.out.splitlines()]
    assert records
    for record in records:
        jsonschema.Draft202012Validator(json_schema()).validate(record)
        assert record["provenance"]["explored_on"]["themes"] == 3


def test_a_faulty_record_of_where_a_theme_was_found(file, tmp_path):
    text = Path(file).read_text(encoding="utf-8")
    for old, new, said in (
        ('towards = "A"', 'towards = "C"', "explored_on.towards: input should be 'A' or 'B'"),
        (", themes = 3", "", "explored_on.themes: this key is required"),
        (", words = [", ", word = [", "explored_on.word: "),
    ):
        (tmp_path / "faulty.toml").write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(EatlasError, match="test theme-") as info:
            load_tests(str(tmp_path / "faulty.toml"))
        assert said in str(info.value)
