"""What a user gets wrong: one message, exit code 2, nothing written, no traceback."""

import pytest
from tests.commands import QUICK
from tests.inputs import TOML, make_test, make_vectors

from eatlas.sources.spec import SUFFIXES

JOBS = """\
schema = 1
[[test]]
id = "jobs"
targets = { name = "Jobs", terms = ["nurse", "pilot"] }
groups = [{ name = "Female", terms = ["she"] }, { name = "Male", terms = ["he"] }]
reference = "uniform"
"""


@pytest.fixture
def folder(tmp_path):
    """Files of every kind that commands read."""
    (tmp_path / "mine.toml").write_text(TOML)
    (tmp_path / "jobs.toml").write_text(JOBS)
    rows = make_vectors(make_test()).items()
    (tmp_path / "v.csv").write_text(
        "".join(f"{w},{','.join(map(repr, r.tolist()))}\n" for w, r in rows)
    )
    (tmp_path / "short.txt").write_text("aster 1 2\nclover 1\n")
    (tmp_path / "corpus.txt").write_text("an aster\nlove\n")
    (tmp_path / "table.csv").write_text("a,b\nnurse,she\n")
    (tmp_path / "page.html").write_text("<html><body>The nurse</body></html>")
    (tmp_path / "seat.json").write_text("{}")
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "c.jsonl").write_text('{"stimulus": "love", "text": "a love b"}\n')
    return tmp_path


RUN = "run --tests mine.toml --vectors cbow:glove-sample"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run weat-6", "Got unexpected extra argument"),
        ("run --tests weat-6,weat-7", "error: there is no test or battery 'weat-6,weat-7'\n  allowed: the name of a battery, the id of a test, or a TOML file\n  remedy: repeat the option: --tests weat-6 --tests weat-7; in Python, give a list\n"),
        ("run --tests weat_6", "remedy: did you mean weat-6"),
        ("run --tests .", "error: .: this is a folder\n  allowed: a TOML file\n  remedy: give a file in it\n"),
        ("run --tests none.toml", "error: none.toml: there is no such test file\n"),
        ("run --test weat-6", "--tests"),
        ("run --vectors=", "error: no vectors were given\n  got: an empty text\n  allowed: a file, a name\n"),
        ("run --vectors hf:a/b/c?layr=2", "error: hf:a/b/c: unknown option\n  got: layr\n  allowed: "),
        ("run --tests mine.toml --vectors short.txt", "short.txt, line 2: a vector of the wrong length"),
        ("run --vectors a=v.csv --vectors a=short.txt", "two sources have the name 'a'"),
        ("run --measure weat,ml-eat", "error: one measure was expected, not 'weat,ml-eat'\n  remedy: repeat the option: --measure weat --measure ml-eat; in Python, give a list\n"),
        ("run --measure mleat", "remedy: did you mean ml-eat?\n"),
        ("run --measure ml-eat(alfa=0.1)", "error: ml-eat has no parameter 'alfa'; did you mean alpha?\n"),
        ("run --seed -1", "'--seed'"),
        ("run --workers two", "'--workers'"),
        ("run --case lower", "unknown case rule"),
        ("run --out file/below", "file/below/results.jsonl: cannot be written"),
        ("run --per-term 2", "error: --per-term needs a file of contexts\n  got: --per-term 2 alone\n  allowed: --contexts FILE --per-term N\n"),
        (f"{RUN} --window 1", "no contexts were given\n  got: window 1\n"),
        ("rum", "Did you mean 'run'?"),
        ("tests show weat-66", "remedy: did you mean weat-6"),
        ("tests check none.toml", "none.toml: the test file cannot be read"),
        ("tests import mine.json --format wfe", "error: there is no format 'wfe' to import; did you mean wefe?\n"),
        ("tests import seat.json", "--format"),
        ("tests import seat.json --format wefe -o out.toml", "seat.json, key target_sets: this key is required"),
        ("tests sentences weat-6 --templates no.toml", "error: no.toml: there is no such file of templates"),
        ("tests sentences weat-6 -o mine.toml/x", "cannot be written"),
        ("tests power", "Missing argument"),
        ("tests power 8;8", "error: there is no test or battery '8;8'\n"),
        ("vectors list glove.6B.51d", "error: there are no published vectors called 'glove.6B.51d'\n"),
        ("vectors fetch glove.6B.51d", "error: there are no published vectors called 'glove.6B.51d'\n"),
        ("run --tests jobs.toml --reference none.csv", "error: this is not a reference\n  got: 'none.csv', which is no file here\n"),
        ("run --tests jobs.toml --reference folder.csv", "error: folder.csv: the table cannot be read\n  got: Is a directory\n  allowed: a CSV file of UTF-8 with a header: term,group,count, or term and the groups\n"),
        ("report c.jsonl", "the schema of a result is unknown\n  got: none\n  allowed: eatlas/result/1\n  remedy: "),
        ("vectors transform glove-sample --out v.docx", "unknown format for vectors"),
        ("report nothing.jsonl", "error: nothing.jsonl: the results file cannot be read\n  got: No such file or directory\n"),
        ("verify seat.json", "there are no results to verify"),
    ],
)  # fmt: skip
def test_one_message_and_nothing_written(eatlas_cli, folder, arguments, said):
    one_message_and_nothing_written(eatlas_cli, folder, arguments, said)


def one_message_and_nothing_written(eatlas_cli, folder, arguments, said):
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    ended = eatlas_cli(*arguments.split())
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("command", ["report", "verify"])
def test_a_file_of_something_else_is_said_once(eatlas_cli, tmp_path, command):
    (tmp_path / "glove.txt").write_text("the 0.1 0.2\n" * 1000, encoding="utf-8")
    ended = eatlas_cli(command, "glove.txt")
    assert ended.code == 2
    first, *others = ended.err.splitlines()
    assert first == "error: glove.txt: none of its 1000 lines is a result"
    assert others[:2] == [
        "  got: line 1: not JSON: Expecting value: line 1 column 1 (char 0)",
        "  allowed: a results file, which eatlas run or Results.write creates",
    ]
    assert len(others) == 3


def test_a_folder_of_results(eatlas_cli, tmp_path):
    (tmp_path / "out").mkdir()
    assert eatlas_cli("report", "out").err == (
        "error: out: the results file cannot be read\n  got: Is a directory\n  remedy: check the path\n"
    )
    (tmp_path / "out" / "results.jsonl").write_text("", encoding="utf-8")
    assert "  remedy: give the file in it: out/results.jsonl\n" in eatlas_cli("report", "out").err


def test_lines_that_are_edited(eatlas_cli, tmp_path):
    """A file that is named twice is read once."""
    eatlas_cli("run", "--tests", "weat-6", "--measure", "weat(resamples=0)", "--frequency", "off")
    path = tmp_path / "out" / "results.jsonl"
    assert "1 of 1 results are the same\n" in eatlas_cli("verify", path, path).out
    for options in (["--vectors", "glove=mine.txt"], ["--trust", "glove"]):
        ended = eatlas_cli("verify", path, *options)
        assert ended.code == 2
        assert "source" in ended.err
        assert "  allowed: glove-sample" in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        "report LONG", "report results.jsonl -o LONG", "verify LONG", "run --tests LONG",
        "run --tests LONG.toml", "run --vectors LONG", "tests check LONG",
    ],
)  # fmt: skip
def test_a_name_that_the_system_does_not_take(eatlas_cli, arguments):
    """As where a folder may not be looked into: the system's word, and no traceback."""
    ended = eatlas_cli(*arguments.replace("LONG", "x" * 300).split())
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert "Traceback" not in ended.err


BOX = "╭─ Error ──────────────────────────────────────────────────────────────────────╮\n"
END = "╰──────────────────────────────────────────────────────────────────────────────╯\n"
TESTS_FILE = (
    "  allowed: schema = 1, then [[test]] tables in double brackets\n"
    "  remedy: eatlas tests show weat-6 prints a test to save and change\n"
)
AS_MODEL = "for a model of Hugging Face, write hf:{0}, or st:{0} if it encodes sentences\n"


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ("run --tests weat-6 weat-7", ["Got unexpected extra argument (weat-7); repeat the option: --tests weat-6", "--tests weat-7"]),
        ("run --json --measure weat mac --seed 2", ["Got unexpected extra argument (mac); repeat the option: --measure weat", "--measure mac"]),
        ("run weat-6", ["Got unexpected extra argument (weat-6)"]),
        ("run --model bert-base-uncased", ["No such option: --model; use --vectors"]),
        ("verify r.jsonl --source v.csv", ["No such option: --source; use --vectors"]),
        ("report r.jsonl --model x", ["No such option: --model"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_options_has_a_remedy(eatlas_cli, folder, arguments, lines):
    ended = eatlas_cli(*arguments.split())
    assert (ended.code, ended.out) == (2, "")
    _, _, said = ended.err.partition(BOX)
    boxed = said.replace("argument(s)", "argument").split()  # as versions of click have it
    assert " ".join(boxed) == " ".join(" ".join([*(f"│ {line} │" for line in lines), END]).split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("tests check empty.toml", "error: empty.toml: the file is empty\n" + TESTS_FILE),
        ("run --tests comments.toml", "error: comments.toml: the file has no tests\n  got: comments alone\n" + TESTS_FILE),
        (
            "run --tests utf16.toml",
            "error: utf16.toml: the file is not UTF-8\n  got: its first bytes look like UTF-16\n  remedy: save the file as UTF-8 (Notepad: Save As, Encoding UTF-8; Excel: file type CSV UTF-8)\n",
        ),
        (
            "run --vectors bert-base-uncased",
            f"error: there are no vectors called 'bert-base-uncased'\n  allowed: a file ({', '.join(SUFFIXES)}), one of: glove-sample, glove-840b-words, or published vectors: eatlas vectors list\n  remedy: {AS_MODEL.format('bert-base-uncased')}",
        ),
        (
            "run --vectors sentence-transformers/all-MiniLM-L6-v2",
            f"error: sentence-transformers/all-MiniLM-L6-v2: there is no such file\n  remedy: check the path; {AS_MODEL.format('sentence-transformers/all-MiniLM-L6-v2')}",
        ),
        ("run --vectors none/v.txt", "error: none/v.txt: there is no such file\n  remedy: check the path\n"),
        ("run --tests mine.toml --vectors short.txt", "error: short.txt, line 2: a vector of the wrong length\n  got: 1 number after 'clover'\n  allowed: 2 numbers, as in other lines\n"),
        (
            "run --tests mine.toml --vectors comma.txt",
            "error: comma.txt, line 2: a component is not a number\n  got: '0,5', in the row of 'clover'\n  remedy: write decimals with a point, as in 0.5\n",
        ),
        (
            "run --tests mine.toml --vectors thousands.csv",
            "error: thousands.csv, line 2: a component is not a number\n  got: '24.654.999', in the row of 'clover'\n  remedy: write all decimals with a comma, and no mark for thousands, as in 1234,5\n",
        ),
    ],
)  # fmt: skip
def test_whole_messages(eatlas_cli, folder, arguments, said):
    (folder / "empty.toml").touch()
    (folder / "comments.toml").write_text("# later\n")
    (folder / "utf16.toml").write_text(TOML, encoding="utf-16")
    (folder / "comma.txt").write_text("aster 0.5 1\nclover 0,5 1\n")
    (folder / "thousands.csv").write_text("aster;0,5;1\nclover;24.654.999;2,5\n")
    ended = eatlas_cli(*arguments.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == said


@pytest.mark.filterwarnings("always::eatlas.errors.StimulusWarning")
def test_a_misspelt_word_is_said_at_the_top(eatlas_cli, tmp_path):
    words = eatlas_cli("tests", "show", "weat-6").out
    words = words.replace("weat-6", "mine").replace('"office"', '"offcie"')
    (tmp_path / "mine.toml").write_text(words.replace('"John"', '"Jonh"'))
    ended = eatlas_cli("run", "--tests", "mine.toml", *QUICK)
    assert ended.code == 0
    assert ended.err == (
        "warning: mine: Not in glove-sample: Jonh (did you mean john?), offcie (did you mean "
        "office?).\n"
    )
