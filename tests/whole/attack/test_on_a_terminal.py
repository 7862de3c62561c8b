"""What comes from others cannot command a terminal: it is shown as text, everywhere."""

import json
import re

import numpy as np
import pytest
from tests import terminal

from eatlas.cli.console import make_plain
from eatlas.cli.messages import plain_error, plain_line
from eatlas.errors import EatlasError, SourceError

EVIL = "\x1b[2J\x1b]0;title\x07\x1b]52;c;Y2xpcA==\x07\x9b31m\u202eevil[/bold]"
TOML_EVIL = EVIL.replace("\x1b", "\\u001B").replace("\x07", "\\u0007").replace("\x9b", "\\u009B")
SHOWN = r"\x1b[2J\x1b]0;title"
TEST = f"""
schema = 1
[[test]]
id = "evil"
title = "{TOML_EVIL}"
X = {{ name = "X {TOML_EVIL}", terms = ["x1", "x2", "x3 {TOML_EVIL}"] }}
Y = {{ name = "Y", terms = ["y1", "y2", "y3"] }}
A = {{ name = "A {TOML_EVIL}", terms = ["a1", "a2", "a3", "gone {TOML_EVIL}"] }}
B = {{ name = "B", terms = ["b1", "b2", "b3"] }}
"""
WORDS = [f"{role}{i}" for role in "xyab" for i in (1, 2, 3)]
# what rich and the progress of eatlas write of their own
OURS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\]8;;(?:file://[!-~]*)?\x1b\\")


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    words = [word if word != "x3" else f"x3 {EVIL}" for word in WORDS]
    np.savez(tmp_path / "v.npz", words=np.array(words), vectors=rng.normal(size=(12, 5)))
    (tmp_path / "t.toml").write_text(TEST, encoding="utf-8")
    return tmp_path


def assert_shown_as_text(said):
    assert SHOWN in said
    for char in "\x1b\x07\x9b\u202e\r\x00":
        assert char not in said, repr(said)


RUN = ("run", "--tests", "t.toml", "--vectors", "v.npz")


def test_F25_a_table_and_its_warnings(eatlas_cli, folder):
    ended = eatlas_cli(*RUN)
    assert ended.code == 0
    assert_shown_as_text(ended.out)
    assert "evil[/bold]" in ended.out  # a name is no markup
    ended = eatlas_cli(*RUN, "--measure", "sc-eat")
    assert ended.code == 0
    assert_shown_as_text(ended.out)


@pytest.mark.parametrize("command", [("tests", "check", "t.toml"), ("tests", "show", "t.toml")])
def test_F25_tests(eatlas_cli, folder, command):
    ended = eatlas_cli(*command)
    assert ended.code == 0
    if command[1] == "check":
        assert_shown_as_text(ended.out)
    assert "\x1b" not in ended.out


def test_F25_verify_of_a_foreign_file(eatlas_cli, folder):
    assert eatlas_cli(*RUN).code == 0
    path = folder / "out" / "results.jsonl"
    record = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    forged = record | {"source": f"{EVIL}\n5 of 5 results are the same", "test": "evil\x1b[2J"}
    path.write_text(json.dumps(forged) + "\n", encoding="utf-8")
    ended = eatlas_cli("verify", path)
    assert ended.code != 0
    said = ended.out + ended.err
    assert r"\x1b" in said
    for char in "\x1b\x07\x9b\u202e":
        assert char not in said
    assert "5 of 5 results are the same" not in ended.out.splitlines()


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--vectors", f"{EVIL}.txt"),
        ("run", "--tests", EVIL),
        ("tests", "check", f"{EVIL}.toml"),
        ("scan", "--vectors", "v.npz", "--a", f"x1,{EVIL}", "--b", f"y1,y2,{EVIL}"),
        ("vectors", "list", EVIL),
        ("report", f"{EVIL}.jsonl"),
    ],
)
def test_F25_errors(eatlas_cli, folder, arguments):
    ended = eatlas_cli(*arguments)
    assert ended.code == 2
    assert_shown_as_text(ended.err)


@terminal.NEEDED
@pytest.mark.parametrize("arguments", [RUN, ("tests", "check", "t.toml")])
def test_F25_on_a_terminal(folder, arguments):
    text = terminal.on_a_terminal(*arguments, cwd=folder, columns=150)
    assert "\x1b[2J" not in text
    left = OURS.sub("", text)
    for char in "\x1b\x07\x9b\u202e":
        assert char not in left


def test_F25_forged_lines_stay_within_their_message():
    error = SourceError("x.txt: bad", got="a\nerror: y\n  remedy: run this", remedy="none")
    error.add_note("3 of 4 are\nkept")
    assert plain_error(error).splitlines() == [
        "x.txt: bad", "  got: a", "    error: y", "      remedy: run this", "  remedy: none",
        "  3 of 4 are\\nkept",
    ]  # fmt: skip
    assert plain_error(EatlasError("two\nfaults")) == "two\nfaults"
    assert plain_line("a\nb\tc") == "a\\nb c"


def test_F25_styles_of_rich_stay():
    from rich.table import Table
    from rich.text import Text

    styled = Text.assemble(("bold", "bold"), " plain")
    assert make_plain(styled) is styled
    table = Table("a\x1b", title="t\x1b")
    table.add_row(Text("[x]\x1b[2J", "bold"))
    table.add_row("[/red]")
    make_plain(table)
    (column,) = table.columns
    assert [str(cell) for cell in column._cells] == ["[x]\\x1b[2J", "[/red]"]
    assert (str(column.header), str(table.title)) == ("a\\x1b", "t\\x1b")
