"""What a first user types: one message, exit code 2, nothing written."""

import pytest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run weat-6", "error: eatlas run: a value without an option before it\n  got: weat-6\n  remedy: eatlas run --tests weat-6, if that is a test; eatlas run -h lists the options\n"),
        ("run --tests weat-6,weat-7", "error: there is no test or battery 'weat-6,weat-7'\n  allowed: one of them at a time: weat-6, weat-7\n  remedy: repeat the option: --tests weat-6 --tests weat-7; in Python, give a list\n"),
        ("run --tests weat_6", "remedy: did you mean weat-6"),
        ("run --tests .", "error: .: this is a directory\n  allowed: a TOML file\n  remedy: name a file in it\n"),
        ("run --tests mine.toml", "error: mine.toml: there is no such test file\n"),
        ("run --test weat-6", "--tests"),
        ("run --vectors=", "error: no vectors are named\n  got: an empty text\n  allowed: a file, a name\n"),
        ("run --vectors glove-sample?layer=1", "error: glove-sample?layer=1: unknown option\n  got: ?layer=1\n  allowed: glove-sample, which has none\n"),
        ("run --vectors elmo:small", "error: elmo:small: there are no vectors of the kind elmo:\n  allowed: a file, one of: glove-sample, cbow: and either of these, or "),
        ("run --vectors hf:a/b/c", "error: hf:a/b/c: there is no such folder or file\n  allowed: hf:NAME, hf:FOLDER with config.json, hf:FILE.gguf; a NAME on the hub is such as bert-base-cased or facebook/opt-125m\n  remedy: check the path, or the name on the hub\n"),
        ("run --vectors hf:a/b/c?layr=2", "error: hf:a/b/c: unknown option\n  got: layr\n  allowed: "),
        ("run --vectors https://a.org/v.txt", "error: https://a.org/v.txt: no model is named\n"),
        ("run --vectors my:file.txt", "error: my:file.txt: there is no such file\n  remedy: check the path\n"),
        ("run --measure weat,ml-eat", "error: one measure was expected, not 'weat,ml-eat'\n  remedy: repeat the option: --measure weat --measure ml-eat; in Python, give a list\n"),
        ("run --vectors glove_sample", "remedy: did you mean glove-sample?\n"),
        ("run --measure mleat", "remedy: did you mean ml-eat?\n"),
        ("run --measure ml-eat(alfa=0.1)", "error: ml-eat has no parameter 'alfa'; did you mean alpha?\n"),
        ("run --measure=", "error: a measure cannot be read\n  got: ''\n"),
        ("run --seed -1", "'--seed'"),
        ("run --workers two", "'--workers'"),
        ("rum", "Did you mean 'run'?"),
        ("tests show weat-66", "remedy: did you mean weat-6"),
        ("tests import mine.json --format wfe", "error: there is no format 'wfe' to import; did you mean wefe?\n"),
        ("scan --vectors glove-sample --a he --b she,her", "error: attributes A (he): a group of one term\n  got: 'he'\n  allowed: at least 2 terms on each side (their labels are permuted)\n  remedy: add terms\n"),
        ("report nothing.jsonl", "error: nothing.jsonl: the results file cannot be read\n  got: No such file or directory\n"),
    ],
)  # fmt: skip
def test_one_message_and_nothing_written(eatlas_cli, tmp_path, arguments, said):
    ended = eatlas_cli(*arguments.split())
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert "Traceback" not in ended.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["report", "verify"])
def test_a_file_of_something_else_is_said_once(eatlas_cli, tmp_path, command):
    (tmp_path / "glove.txt").write_text("the 0.1 0.2\n" * 1000, encoding="utf-8")
    ended = eatlas_cli(command, "glove.txt")
    assert ended.code == 2
    first, *others = ended.err.splitlines()
    assert first == "error: glove.txt: none of its 1000 lines is a result"
    assert others[:2] == [
        "  got: line 1: no JSON: Expecting value, at character 1",
        "  allowed: a file that eatlas run or Results.write wrote",
    ]
    assert len(others) == 3


def test_a_folder_of_results(eatlas_cli, tmp_path):
    (tmp_path / "out").mkdir()
    assert eatlas_cli("report", "out").err == (
        "error: out: the results file cannot be read\n  got: Is a directory\n"
    )
    (tmp_path / "out" / "results.jsonl").write_text("", encoding="utf-8")
    assert "  remedy: name the file in it: out/results.jsonl\n" in eatlas_cli("report", "out").err


def test_a_file_that_is_named_twice_is_read_once(eatlas_cli):
    eatlas_cli("run", "--tests", "weat-6")
    path = "out/results.jsonl"
    assert "\n1 of 1 results are the same\n" in eatlas_cli("verify", path, path).out


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
