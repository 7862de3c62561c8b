"""What a release needs: filled-in addresses everywhere, and files that have what they should."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile

import pytest
import yaml
from tools import publication, release, write_conda_recipe


def test_authors_and_addresses_are_the_same_in_all_files():
    changed = [path.name for path, old, new in publication.texts() if old != new]
    assert not changed, "run python tools/publication.py"


FILLED = {
    "repository": "https://code.example/eatlas",
    "documentation": "https://docs.example/eatlas/",
    "security": "security@code.example",
    "doi": "10.5281/zenodo.1234567",
    "released": "2026-12-31",
    "authors": [
        {
            "family-names": "Name",
            "given-names": "Some",
            "email": "some@code.example",
            "orcid": "0000-0002-1825-0097",
            "affiliation": "An institute",
            "github": "some-name",
        }
    ],
}


def test_a_placeholder_is_named_and_stops_a_release(capsys, monkeypatch):
    named = ["a = 'TODO x'", "authors 1: orcid = 'TODO'"]
    assert list(publication.placeholders({"a": "TODO x", "authors": [{"orcid": "TODO"}]})) == named
    assert not list(publication.placeholders(FILLED))
    monkeypatch.setattr(publication, "publication", lambda: FILLED | {"security": "TODO"})
    assert publication.main(["--ready"]) == 1
    assert "publication.toml: security = 'TODO' is a placeholder" in capsys.readouterr().out


def test_what_a_person_fills_in_is_in_every_file():
    for name, write in publication.WRITERS.items():
        path = publication.ROOT / name
        text = write(path.read_text(encoding="utf-8"), FILLED)
        assert "example.org" not in text.replace("TODO name@example.org", ""), name
        assert write(text, FILLED) == text, name
    codemeta = json.loads(publication.of_codemeta("", FILLED))
    assert codemeta["author"][0]["familyName"] == "Name"
    zenodo = json.loads(publication.of_zenodo("", FILLED))
    assert zenodo["creators"] == [
        {"name": "Name, Some", "orcid": "0000-0002-1825-0097", "affiliation": "An institute"}
    ]


def test_the_page_of_the_release_fits_a_screen_and_the_code_host_shows_it(capsys):
    page = publication.ROOT / "docs" / "releases" / f"{publication.version()}.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 100
    assert any(line.startswith(f"pip install eatlas=={publication.version()} ") for line in lines)
    assert publication.main(["--page"]) == 0
    body = capsys.readouterr().out
    assert "](../" not in body
    assert f"]({publication.publication()['documentation']}changelog.html)" in body
    workflow = publication.ROOT / ".github" / "workflows" / "release.yml"
    assert "publication.py --page > page.md" in workflow.read_text(encoding="utf-8")


def test_each_fragment_has_a_type_that_the_changelog_has():
    project = tomllib.loads((publication.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    types = [each["directory"] for each in project["tool"]["towncrier"]["type"]]
    folder = publication.ROOT / "changelog.d"
    listed = re.findall(r"(?m)^\| `(\w+)` \|", (folder / "README.md").read_text(encoding="utf-8"))
    assert listed == types
    fragments = [path.name for path in folder.glob("*.md") if path.name != "README.md"]
    assert [name for name in fragments if name.split(".")[-2] not in types] == []


def test_the_conda_recipe_has_the_requirements_of_all_packages():
    text = write_conda_recipe.TARGET.read_text(encoding="utf-8")
    written = write_conda_recipe.recipe(publication.publication(), {})
    assert text == written, "run python tools/write_conda_recipe.py"


def test_the_conda_recipe_names_packages_as_conda_forge_does():
    pinned = '${{ pin_subpackage("eatlas", exact=True) }}'
    assert write_conda_recipe.requirements(["eatlas==0.2.0", "torch>=2.6", "numpy>=2.0"]) == {
        "eatlas": pinned,
        "pytorch": "pytorch >=2.6",
        "numpy": "numpy >=2.0",
    }
    with pytest.raises(SystemExit, match="'numpy<3' has no lower bound"):
        write_conda_recipe.requirements(["numpy<3"])


def test_the_conda_recipe_has_digests_and_maintainers():
    archive = f"eatlas_models-{publication.version()}.tar.gz"
    recipe = yaml.safe_load(write_conda_recipe.recipe(FILLED, {archive: "a1" * 32}))
    digests = {each["package"]["name"]: each["source"]["sha256"] for each in recipe["outputs"]}
    assert digests.pop("eatlas-models") == "a1" * 32
    assert set(digests.values()) == {write_conda_recipe.UNKNOWN}
    assert recipe["extra"]["recipe-maintainers"] == ["some-name"]
    assert recipe["about"]["homepage"] == "https://code.example/eatlas"


def test_notebooks_open_in_a_service_where_the_repository_is_at_its_host():
    text = "Tutorials as notebooks:\n"
    plain = publication.of_readme(text, FILLED)
    assert plain.count("](notebooks/") == len(publication.NOTEBOOKS)
    assert "code.example" not in plain
    path = f"/blob/v{publication.version()}/notebooks/auditor.ipynb)"
    assert f"https://code.example/eatlas{path}" in publication.of_tutorials(text, FILLED)
    at_host = FILLED | {"repository": "https://github.com/some.one/eatlas"}
    for write in (publication.of_readme, publication.of_tutorials):
        line = write(text, at_host)
        assert write(line, at_host) == line
        assert f"{publication.COLAB}/github/some.one/eatlas{path}" in line
        assert line.count("![Open in Colab]") == (3 if write is publication.of_readme else 0)
    for name in publication.NOTEBOOKS:
        assert (publication.ROOT / "notebooks" / f"{name}.ipynb").is_file()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return release.build(tmp_path_factory.mktemp("dist"))


@pytest.mark.slow
@pytest.mark.xdist_group("release")
def test_files_have_what_the_repository_has_and_no_more(files):
    assert len(files) == 2 * len(release.PACKAGES)
    assert [fault for path in files for fault in release.faults(path)] == []


@pytest.mark.slow
@pytest.mark.xdist_group("release")
def test_a_file_that_git_does_not_know_is_a_fault(files, tmp_path):
    (models,) = (
        path for path in files if path.name.startswith("eatlas_models") and path.suffix == ".whl"
    )
    stray = tmp_path / models.name
    with zipfile.ZipFile(models) as whole, zipfile.ZipFile(stray, "w") as archive:
        for entry in whole.namelist():
            if "LICENSE-MIT-bai" not in entry:
                archive.writestr(entry, whole.read(entry))
        archive.writestr("eatlas_models/notes.txt", "mine")
    found = "\n".join(release.faults(stray))
    assert "lacks the licence src/eatlas_models/stimuli/data/LICENSE-MIT-bai.txt" in found
    assert "has eatlas_models/notes.txt, which git does not know" in found


@pytest.mark.slow
@pytest.mark.xdist_group("release")
def test_the_same_bytes_come_twice(files, tmp_path):
    again = release.build(tmp_path / "dist")
    assert list(map(release.digest, files)) == list(map(release.digest, again))


@pytest.mark.slow
@pytest.mark.xdist_group("release")
def test_an_index_takes_the_metadata(files):
    for path in (each for each in files if each.suffix == ".whl"):
        with zipfile.ZipFile(path) as archive:
            (name,) = (each for each in archive.namelist() if each.endswith("/METADATA"))
            metadata = archive.read(name).decode()
        assert " @ " not in "".join(
            line for line in metadata.splitlines() if line.startswith("Requires-Dist")
        )
        readme = metadata.partition("\n\n")[2]
        assert "](docs/" not in readme
        assert "](../" not in readme
        assert 'src="docs/' not in readme


@pytest.mark.slow
@pytest.mark.parametrize("path", release.BEFORE, ids=lambda path: path.stem)
def test_results_of_earlier_versions_are_the_same(path):
    done = subprocess.run(
        [sys.executable, "-m", "eatlas", "verify", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    made_by = path.stem.removeprefix("results-")
    assert f"made by eatlas {made_by}, verified by {publication.version()}" in done.stdout
