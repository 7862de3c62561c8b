"""``eatlas scan --themes``: what it prints, and what it says of input that it cannot use."""

from __future__ import annotations

import json

import numpy as np
import pytest

import eatlas
from eatlas.errors import EatlasError, SourceError, StimulusError
from eatlas.present import report_text
from eatlas_vocabulary.results.themes import read_scan

GROUPS = {side: [side + letter * 2 for letter in "abcdefgh"] for side in "xy"}
OPTIONS = ("--vectors", "v.npy", "--a", ",".join(GROUPS["x"]), "--b", ",".join(GROUPS["y"]))
CSV = "theme,word\nSport,pab\nSport,pac\nMusic,qab\nMusic,qac\n"
LETTERS = "abcdefghijklmnopqrst"


@pytest.fixture
def vectors(tmp_path):
    """Words p lean to x, words q lean to neither; 400 words each."""
    rng = np.random.default_rng(3)
    words = [word for words in GROUPS.values() for word in words]
    words += [f"{kind}{i}{j}" for kind in "pq" for i in LETTERS for j in LETTERS]
    rows = 0.1 * rng.normal(size=(len(words), 30))
    rows[:8, 0] += 1
    rows[16:416, 0] += rng.uniform(0.5, 1, 400)
    rows[416:, 1] += 1
    np.save(tmp_path / "v.npy", rows)
    (tmp_path / "v.vocab").write_text("\n".join(words) + "\n")
    (tmp_path / "themes.csv").write_text(CSV)
    frequent = rng.permutation(len(words)).tolist()
    counts = "".join(f"{words[i]} {5000 - place}\n" for place, i in enumerate(frequent))
    (tmp_path / "counts.txt").write_text(counts)


def test_one_table_at_80_columns(eatlas_cli, vectors, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ended = eatlas_cli("scan", *OPTIONS, "--themes", 6, "--top", 3, "--out", "w.csv")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "used a random half of the words of each group (4 and 4)" in ended.said
    assert lines[0].startswith("NOT ADJUSTED for word frequency: v.npy has no information ")
    assert (
        "of 6 word clusters (themes), 3 are significantly more associated with xaa, xbb, ... (A) "
        "or yaa, ybb, ... (B)" in ended.said
    )
    assert "the first is the most extreme of 6 themes, so its d is likely too large" in ended.said
    (head,) = [i for i, line in enumerate(lines) if "again" in line.split()]
    assert lines[head].split() == ["theme", "towards", "d", "interval", "maxT", "again"]
    rows = lines[head + 2 : head + 5]
    assert all(row.startswith("p") and " A " in row for row in rows)
    assert all("* " in row and row.endswith(("/2", "/10, 2/2")) for row in rows)
    assert "in 10 more clusterings, and in those with 3 and 12." in ended.said
    assert ended.out.endswith(
        "\nwords:   w.csv\nsummary: w.csv.json\npage:    eatlas report w.csv\n"
        "Tests of the themes found with the words held out: --write FILE.toml\n"
    )


def test_themes_of_a_user_given_frequency(eatlas_cli, vectors, tmp_path):
    with (tmp_path / "themes.csv").open("a") as file:
        file.write("Music,zzz\nMusic,pab\nMusic,xaa\n")
    (tmp_path / "names.csv").write_bytes(b"\xef\xbb\xbftheme,name\r\nSport,Games\r\n")
    a = ",".join([*GROUPS["x"], "zzy"])
    source = ("--vectors", "v.npy?counts=counts.txt", "--a", a, *OPTIONS[4:])
    options = ("--themes", "themes.csv", "--names", "names.csv", "--out", "w.csv")
    ended = eatlas_cli("scan", *source, *options)
    assert (ended.code, ended.err) == (0, "")
    assert ended.said.startswith("v.npy?counts=counts.txt: of 2 themes, ")
    assert ", adjusted for word frequency" in ended.said
    assert "Games: pac, pab" in ended.out or "Games: pab, pac" in ended.out
    assert "again" not in ended.out
    assert "Words of the categories that are not in the source: zzz." in ended.said
    assert "because they are words of the groups or forms of them: xaa." in ended.said
    assert "Missing words of xaa, xbb, ...: zzy." in ended.said
    assert eatlas_cli("verify", "w.csv").out.startswith("1 of 1 scans for themes are the same\n")
    assert "1 word is in several categories, and counts in each: pab." in ended.said
    assert "the table of a scan" not in ended.said
    ended = eatlas_cli("scan", *source, "--themes", "w.csv", "--out", "again.csv")
    warned = "w.csv is the table of a scan, and p is adjusted only for its 2 themes."
    assert 0 < ended.said.index(warned) < ended.said.index("The strongest")
    assert eatlas_cli("verify", "again.csv").code == 0
    assert eatlas_cli("report", "again.csv").code == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert 0 < page.index("w.csv is the table of a scan") < page.index("<nav")


def test_groups_of_names_have_roles_in_the_table(eatlas_cli, vectors, tmp_path):
    (tmp_path / "names.txt").write_text("\r\n".join(GROUPS["x"] + GROUPS["y"][::-1]) + "\r\n")
    options = ("--vectors", "v.npy", "--groups-from", "names.txt", "--groups", "3")
    ended = eatlas_cli("scan", *options, "--themes", "themes.csv")
    assert (ended.code, ended.err) == (0, "")
    assert "Sport: p" in ended.out
    assert "most > least" in ended.out
    assert "interval" not in ended.out
    head = ended.said.index("theme most > least")
    of = "differs significantly" if " 1 differs " in ended.said else "differ significantly"
    for text in (
        "NOT ADJUSTED",
        f" {of} between 3 groups",
        "G1: ",
        "The groups are clusters of 16 names",
    ):
        assert ended.said.index(text) < head


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--themes 1.5", "--themes: this is neither a number nor a file\n  got: 1.5\n"),
        ("--themes none.csv", "--themes: this is neither a number nor a file\n  got: none.csv\n"),
        ("--themes 1", "themes is not usable\n  got: 1 (int)\n  allowed: a whole number from 2 to"),
        ("--themes 900", "there are more themes than words\n  got: 900 themes of 800 words"),
        ("--themes many.csv", "there are too many categories\n  got: 2,001\n  allowed: at most"),
        ("--themes utf16.csv", "utf16.csv: the file is not UTF-8\n  got: its first bytes look like UTF-16"),
        ("--themes lacking.csv", "categories without a usable word in v.npy: Dance\n"),
        ("--themes 5 --sort p --engine ray", "only to scans of single words, not to --themes\n  got: --sort, --engine\n"),
        ("--themes 5 --groups 3", "--groups belongs to --groups-from\n"),
        ("--themes themes.csv --names twice.csv", "several themes would have the same name\n  got: 'Games'\n"),
        ("--themes themes.csv --names both.csv", "'Sport' has two names\n  got: 'Games' and 'Play'\n"),
        ("--themes themes.csv --names unknown.csv", "there is no theme with this name\n  got: 'Dance'\n  allowed: 'Sport', 'Music'\n"),
        ("--themes themes.csv --out themes.csv", "themes.csv: this is also the input file"),
        ("--themes themes.csv --out w.txt", "w.txt: the words of themes cannot be written in this format\n  got: .txt\n  allowed: .csv\n"),
    ],
)  # fmt: skip
def test_input_that_cannot_be_used(eatlas_cli, vectors, tmp_path, options, message):
    (tmp_path / "many.csv").write_text("theme,word\n" + "".join(f"t{i},pab\n" for i in range(2001)))
    (tmp_path / "utf16.csv").write_text(CSV, "utf-16")
    (tmp_path / "lacking.csv").write_text(CSV + "Dance,zzz\n")
    (tmp_path / "twice.csv").write_text("theme,name\nSport,Games\nMusic,Games\n")
    (tmp_path / "both.csv").write_text("theme,name\nSport,Games\nSport,Play\n")
    (tmp_path / "unknown.csv").write_text("theme,name\nDance,Games\n")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    ended = eatlas_cli("scan", *OPTIONS, *options.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert message in ended.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--a xaa,,xbb --b yaa,ybb,ycc", "xaa, xbb: 2 of 2 words have a usable vector in v.npy\n"),
        ("--a xaa,xbb,xcc --b yaa,ybb,XCC", "some words of v.npy are found for several groups\n  got: xcc\n"),
        ("--a , --b yaa,ybb", "two groups of attributes are needed\n  got: --a without a word and --b\n"),
        ("", "themes are compared between groups of words\n  got: no groups\n"),
        ("--groups-from none.txt", "none.txt: the names cannot be read\n  got: No such file"),
        ("--groups-from few.txt", "there are too few names for 4 groups\n  got: 3 of 4 names"),
        ("--groups-from empty.txt", "empty.txt: there are no names to form groups from\n"),
    ],
)  # fmt: skip
def test_groups_that_cannot_be_used(eatlas_cli, vectors, tmp_path, options, message):
    (tmp_path / "few.txt").write_text("xaa\nyaa\nxbb\nyaa\nzzz\n")
    (tmp_path / "empty.txt").write_text("\n")
    ended = eatlas_cli("scan", *OPTIONS[:2], "--themes", "themes.csv", *options.split())
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_sources_that_cannot_be_used(eatlas_cli, vectors, tmp_path, evil):
    ended = eatlas_cli("scan", "--vectors", "py:evil:f", *OPTIONS[2:], "--themes", 5)
    assert ended.code == 2
    assert "a source's own words (an encoder has none), and this source cannot list" in ended.err
    np.save(tmp_path / "v.npy", np.ones((816, 8)))
    ended = eatlas_cli("scan", *OPTIONS, "--themes", 5)
    assert ended.code == 2
    assert "the vectors do not form 5 clusters, as too many are equal\n  got: " in ended.err
    (tmp_path / "counts.txt").write_text("zzz 5\n")
    ended = eatlas_cli("scan", "--vectors", "v.npy?counts=counts.txt", *OPTIONS[2:], "--themes", 5)
    assert "there are more themes than words\n  got: 5 themes of 0 words" in ended.err


def test_a_search_with_all_words_is_said(eatlas_cli, vectors, tmp_path):
    how = ("scan", *OPTIONS, "--themes", "themes.csv", "--all-words", "--out", "w.csv")
    ended = eatlas_cli(*how, "--write", "t.toml")
    assert ended.code == 0
    assert "used a random half" not in ended.said
    assert "used all words of the groups, because that was asked for. A test of" in ended.said
    (test,) = eatlas.load_tests(str(tmp_path / "t.toml"))
    assert {*test.A.terms, *test.B.terms} == {*test.explored_on.words}
    assert eatlas_cli("verify", "w.csv").out.startswith("1 of 1 scans for themes are the same\n")
    ended = eatlas_cli("scan", *OPTIONS, "--all-words")
    assert (ended.code, "--all-words belongs to --themes" in ended.err) == (2, True)


def test_no_order_of_words_makes_a_difference(vectors, tmp_path):
    themes = {"Sport": ["pab", "pac"], "Music": ["qab", "qac"]}
    backwards = {side: words[::-1] for side, words in GROUPS.items()}
    first, second = (
        eatlas.scan(str(tmp_path / "v.npy"), groups, themes=themes)
        for groups in (GROUPS, backwards)
    )
    assert first.themes == second.themes
    assert first.provenance == second.provenance


@pytest.mark.parametrize("words", ["pab", None, [1, 2], []])
def test_categories_in_memory_are_lists_of_words(vectors, tmp_path, words):
    with pytest.raises(StimulusError, match="Concept 'Sport', argument terms"):
        eatlas.scan(str(tmp_path / "v.npy"), GROUPS, themes={"Sport": words})


def test_names_and_numbers_from_python(vectors, tmp_path):
    how = {"vectors": str(tmp_path / "v.npy"), "attributes": GROUPS}
    result = eatlas.scan(**how, themes={"Sport": ["pab"]}, names={"Sport": 7})
    assert [theme.name for theme in result.themes] == ["7"]
    assert result.summary().startswith("1 theme, ")
    with pytest.raises(EatlasError, match="alpha is too small .*\\n  got: +0.001"):
        eatlas.scan(**how, themes={"Sport": ["pab"]}, measure="sc-eat(alpha=0.001)")
    for names in (["Sport"], 7):
        with pytest.raises(SourceError, match="not a set of names of themes\n  got: "):
            eatlas.scan(**how, themes={"Sport": ["pab"]}, names=names)
    for top in (-1, 1.5):
        with pytest.raises(EatlasError, match=rf"top .*\n  got: +{top}"):
            result.tests(top)


def test_report_of_themes(eatlas_cli, tmp_path):
    (tmp_path / "mine.csv").write_text("theme,word\nSport,team\nSport,game\nChurch,church\n")
    scan = ("scan", "--vectors", "glove-sample", "--attributes", "weat-7", "--out", "w.csv")
    eatlas_cli(*scan, "--themes", "mine.csv")
    result = read_scan(tmp_path / "w.csv")
    for path in ("w.csv", "w.csv.json"):
        ended = eatlas_cli("report", path)
        assert (ended.code, ended.out, ended.err) == (0, "report: report.html\n", "")
        assert (tmp_path / "report.html").read_text(encoding="utf-8") == report_text(result)
    ended = eatlas_cli("plot", "w.csv", "--kind", "themes", "-o", "themes.svg")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("figure: themes.svg\ncaption: ")
    ended = eatlas_cli("report", "w.csv", "--format", "csv")
    assert ended.out.startswith("theme,name,n,towards,away,difference,effect_size,low,high,p,")
    for refused, words in {
        ("w.csv", "results.jsonl"): "a report of themes takes one scan",
        ("w.csv", "--family", "both"): "--family does not apply to themes",
        ("w.csv", "-o", "w.csv"): "writing would destroy it",
        ("w.csv", "-o", "w.csv.json"): "no report is written in this form",
        ("none.csv",): "none.csv: the results file cannot be read",
    }.items():
        ended = eatlas_cli("report", *refused)
        assert (ended.code, ended.out) == (2, "")
        assert words in ended.err
        assert "Traceback" not in ended.err


def test_themes_of_a_scan(eatlas_cli, tmp_path):
    (tmp_path / "mine.csv").write_text("theme,word\nFaith,church\nFaith,holy\nWar,army\nWar,war\n")
    scan = ("scan", "--vectors", "glove-sample", "--attributes", "weat-7", "--out", "words.csv")
    eatlas_cli(*scan, "--themes", "mine.csv", "--first", 400)
    for name in ("words.csv", "words.csv.json"):
        ended = eatlas_cli("verify", name)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.startswith(
            "1 of 1 scans for themes are the same\nthemes on glove-sample: same\n  taken from the "
            "file: the names of the themes; the words of the themes\n"
        )
        assert "citation of weat-7 with the built-in tests" in ended.said
    summary = tmp_path / "words.csv.json"
    record = json.loads(summary.read_text("utf-8"))
    record["themes"][0]["p"] = 0.01
    summary.write_text(json.dumps(record), encoding="utf-8")
    ended = eatlas_cli("verify", "words.csv")
    name = record["themes"][0]["name"]
    assert (ended.code, f"  themes.{name}.p: 0.01 in the file, " in ended.out) == (1, True)
    eatlas_cli(*scan, "--first", 300)
    ended = eatlas_cli("verify", "words.csv")
    assert (ended.code, "this is a scan of words, not of themes" in ended.err) == (2, True)
    summary.write_text("{}", encoding="utf-8")
    ended = eatlas_cli("verify", "words.csv")
    assert (ended.code, "words.csv.json: not a summary" in ended.err) == (2, True)
