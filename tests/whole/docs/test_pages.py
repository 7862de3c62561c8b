"""Pages hang together: links, the list of pages, the reference of the command line, formulas."""

import re
import tomllib
from pathlib import Path
from pkgutil import resolve_name

import pytest
import yaml
from tools import write_cli_reference
from tools.docs import live
from tools.docs.examples import blocks

import eatlas
from eatlas.plugins import siblings
from eatlas.stimuli.reading import parse_battery

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
READMES = sorted(ROOT.glob("packages/*/README.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *READMES, *sorted(DOCS.rglob("*.md"))]
BUILT = {"gallery.md", "changelog.md", "contributing.md"}
"""Made when the site is built."""
MOST_WORDS = 2_500
TABLES = {"reference/notes.md", "reference/result-files.md", "reference/tests-of-batteries.md"}
"""Pages of rows that readers search and do not read from top to bottom."""
CODE = re.MULTILINE | re.DOTALL
LIVE = {DOCS / name for name in live.PAGES}


def slugs(page: str) -> set[str]:
    """Anchors of a page's headings, as the site makes them."""
    prose = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.+)$", prose, flags=re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", head.replace("`", "")).strip().lower() for head in heads]
    return {re.sub(r"[-\s]+", "-", head) for head in plain}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    page = re.sub(
        r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    for link, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", page):
        if link.startswith("http"):
            continue
        target = (path.parent / link).resolve() if link else path
        if target.parent == DOCS and target.name in BUILT:
            continue
        if target in LIVE:
            continue
        if target.parent == DOCS / "cards" and target.suffix == ".html":  # made of its data
            target = target.with_suffix(".json")
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in slugs(target.read_text(encoding="utf-8")), f"{link}#{anchor}"


def test_no_page_is_longer_than_a_reader_reads():
    """If a page is, split it into a page and its tables or evidence, and link the two."""
    long = {}
    for path in DOCS.rglob("*.md"):
        prose = re.sub(r"^[ ]*```.*?^[ ]*```|\]\([^)]*\)", "", path.read_text("utf-8"), flags=CODE)
        if (words := len(re.findall(r"\w[\w'’.-]*", prose))) > MOST_WORDS:
            long[path.relative_to(DOCS).as_posix()] = words
    assert set(long) <= TABLES, long


def nav_of(entries) -> list[str]:
    found = []
    for entry in entries:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        found += [value] if isinstance(value, str) else nav_of(value)
    return found


def test_every_page_is_in_the_navigation():
    class Loader(yaml.SafeLoader):
        """Reads MkDocs' own tags as text."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
    config = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)  # noqa: S506
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} | BUILT
    assert sorted(nav_of(config["nav"])) == sorted(there)


def test_the_page_of_versions_names_every_format_and_python():
    page = (DOCS / "versions.md").read_text(encoding="utf-8")
    code = "".join(
        path.read_text(encoding="utf-8")
        for folder in (ROOT / "src", *ROOT.glob("packages/*/src"))
        for path in folder.rglob("*.py")
    )
    formats = set(re.findall(r'"(eatlas/[a-z-]+/[0-9]+)"', code))
    assert set(re.findall(r"`(eatlas/[a-z-]+/[0-9]+)`", page)) == formats
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    assert f"Python {pythons[0]} to {pythons[-1]}" in page


def test_the_reference_of_the_command_line_is_what_help_says():
    """If this fails, run: python tools/write_cli_reference.py"""
    folder = write_cli_reference.FOLDER
    written = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert written == write_cli_reference.pages()


def test_the_test_file_in_the_docs_is_well_formed():
    page = (DOCS / "files.md").read_text(encoding="utf-8")
    (text,) = [block.text for block in blocks(page) if block.language == "toml"]
    assert tomllib.loads(text)["schema"] == 1
    assert parse_battery(text.encode(), "files.md", "docs").tests[0].id == "flowers"


def test_nothing_is_loaded_from_another_host():
    """Links may lead anywhere; what a page loads lies beside it."""
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "http" not in re.sub(r"#.*|^(repo|site)_url: .*", "", config, flags=re.MULTILINE)
    assert "font: false" in config
    for path in (DOCS / "assets").rglob("*"):
        if path.suffix in {".css", ".js"}:
            text = path.read_text(encoding="utf-8")
            assert "http:" not in text, path
            assert "https:" not in text, path
    for path in DOCS.rglob("*.svg"):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http" not in text, path


def test_licences_of_what_is_taken_from_others_lie_beside_it():
    assert "SIL OPEN FONT LICENSE" in (DOCS / "assets/fonts/LICENSE-OFL-1.1.txt").read_text()
    assert "Permission is hereby granted" in (DOCS / "assets/LICENSE-iframe-worker.txt").read_text()


def test_the_reference_documents_every_public_name():
    """If this fails, add `::: eatlas.NAME` to a page of docs/reference/api."""
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("reference/api/*.md"))
    documented = set(re.findall(r"^::: (eatlas(?:_\w+)?\.\w+)$", pages, flags=re.MULTILINE))
    # the classes of errors stand under eatlas.errors
    names = {name for name in eatlas.__all__ if not name.startswith(("_", "Eatlas"))} | {"errors"}
    of_packages = {
        f"eatlas_{package}.{name}"
        for package, groups in siblings().items()
        for name in groups["names"]
    }
    assert documented == {f"eatlas.{name}" for name in names} | of_packages


@pytest.mark.slow  # imports all packages
def test_what_the_reference_documents_is_there():
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("reference/**/*.md"))
    names = re.findall(r"^::: (\S+)$", pages, flags=re.MULTILINE)
    assert [name for name in names if not there(name)] == []


def there(name):
    try:
        return resolve_name(name) is not None
    except (AttributeError, ImportError):
        return False
