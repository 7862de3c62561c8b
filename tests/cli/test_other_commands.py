"""``eatlas tests`` and the options that every command has."""

import tomllib

import pytest
from tests.inputs import TOML

from eatlas import load_tests
from eatlas.version import __version__


def test_help_and_version(eatlas_cli):
    assert eatlas_cli("--version").out == f"eatlas {__version__}\n"
    for arguments in (["--help"], ["run", "-h"], ["tests", "--help"], ["report", "--help"]):
        ended = eatlas_cli(*arguments)
        assert (ended.code, ended.err) == (0, "")
        assert "Usage: eatlas" in ended.out
        flags = [line for line in ended.out.splitlines() if "<bool>" in line]
        assert all("--help" in line for line in flags)  # a flag has no value; that one is typer's


def test_no_command_shows_help(eatlas_cli):
    ended = eatlas_cli()
    assert ended.code == 2
    assert "Usage: eatlas" in ended.out + ended.err


def test_list(eatlas_cli):
    out = eatlas_cli("tests", "list").out
    assert out.startswith("caliskan: ")
    for test in load_tests("caliskan"):
        assert f"  {test.id}" in out
        assert test.label in out
    assert "(X32 Y32 A25 B25)" in out


@pytest.mark.parametrize("name", ["weat-8", "caliskan"])
def test_what_show_prints_can_be_saved_and_loaded(eatlas_cli, tmp_path, name):
    ended = eatlas_cli("tests", "show", name)
    tomllib.loads(ended.out)
    path = tmp_path / "saved.toml"
    path.write_text(ended.out, encoding="utf-8")
    assert load_tests(path) == load_tests(name)


def test_show_survives_odd_words(eatlas_cli, tmp_path):
    path = tmp_path / "odd.toml"
    words = r'"say \"hi\"", "back\\slash", "🌹", "שלום", "tab\there", "del\u007f"'
    path.write_text(TOML.replace('"aster", "clover", "iris", "lily"', words), encoding="utf-8")
    saved = tmp_path / "saved.toml"
    saved.write_text(eatlas_cli("tests", "show", path).out, encoding="utf-8")
    assert load_tests(saved) == load_tests(path)
