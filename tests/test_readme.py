"""The README's examples do what the README says, and so do the examples of docs/."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

import eatlas
from eatlas.stimuli.toml import parse_battery

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for code in blocks(page.read_text(encoding="utf-8"), "python"):
        names = {}
        expected = re.findall(r"print\(.*?\)[ ]*#[ ]*(\S+(?: of \S+)?)", code)
        exec(compile(code, str(page), "exec"), names)  # noqa: S102
        said = capsys.readouterr().out
        for words in expected:
            assert words in said


def test_shell_examples(tmp_path, monkeypatch, eatlas_shell):
    (commands,) = [block for block in blocks(README, "sh") if "eatlas tests show" in block]
    for line in commands.splitlines():
        words = shlex.split(line, comments=True)
        target = words.index(">") if ">" in words else len(words)
        out = eatlas_shell(*words[1:target])
        if target < len(words):
            Path(words[target + 1]).write_text(out, encoding="utf-8")
    assert Path("report.html").is_file()


@pytest.fixture
def eatlas_shell(tmp_path, monkeypatch, capsys):
    import sys

    from eatlas.cli import main

    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> str:
        monkeypatch.setattr(sys, "argv", ["eatlas", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code in (0, None)
        return capsys.readouterr().out

    return call


def test_the_picture_is_what_the_code_draws(tmp_path):
    """If this fails, run: eatlas.plot(eatlas.run(tests="weat-6")[0]).save(...)"""
    eatlas.plot(eatlas.run(tests="weat-6")[0]).save(tmp_path / "weat-6.svg")
    drawn = (tmp_path / "weat-6.svg").read_text(encoding="utf-8")
    assert drawn == (ROOT / "docs/images/weat-6.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not link.startswith("http"):
            assert (page.parent / link).exists(), link


def test_the_test_file_in_the_docs_is_well_formed():
    (text,) = blocks((ROOT / "docs/files.md").read_text(encoding="utf-8"), "toml")
    assert tomllib.loads(text)["schema"] == 1
    assert parse_battery(text.encode(), "files.md", "docs").tests[0].id == "flowers"
