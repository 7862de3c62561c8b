"""Write the version, and authors and addresses of publication.toml, into files that need them.

``python tools/publication.py`` writes; with ``--check`` it says which files differ, with
``--ready`` what a release still needs; with ``--page`` it prints the page of the release.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PLACEHOLDER = re.compile(r"TODO\b|example\.org")
HEAD = "# written by tools/publication.py\n"
NOBODY = "The eatlas developers"
NOT_YET = "not on PyPI yet"
"""What README.md says before the first release."""
VERSION = "$HFPR_VERSION"
"""What hatch-fancy-pypi-readme replaces by the version of a package."""
COLAB = "https://colab.research.google.com"
"""Opens notebooks of repositories on github.com."""
REPOSITORY = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
NOTEBOOKS = ("psychologist", "engineer", "auditor")
"""For whom there is a notebook."""
RELATIVE = r"(?!https?:|#|mailto:)(?:\.\./)*([^)\s]+)"


def publication(root: Path = ROOT) -> dict[str, Any]:
    """What a person filled in."""
    return tomllib.loads((root / "publication.toml").read_text(encoding="utf-8"))


def version(root: Path = ROOT) -> str:
    """The version of all packages."""
    text = (root / "src" / "eatlas" / "version.py").read_text(encoding="utf-8")
    return re.search(r'__version__ = "(.+)"', text)[1]  # type: ignore[index]


def is_release(version: str) -> bool:
    """Whether a version is published, and not one of the main branch between releases."""
    return ".dev" not in version


def revision() -> str:
    """Where the files of this version are in the repository: its tag, or the main branch."""
    return f"v{version()}" if is_release(version()) else "main"


def placeholders(values: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Keys whose values nobody has filled in."""
    for key, value in values.items():
        if isinstance(value, list):
            for number, entry in enumerate(value, 1):
                yield from placeholders(entry, f"{path}{key} {number}: ")
        elif PLACEHOLDER.search(value):
            yield f"{path}{key} = {value!r}"


def authors(values: Mapping[str, Any]) -> list[dict[str, str]]:
    """The authors without placeholders; none while nobody has filled in any."""
    filled = [
        {key: value for key, value in each.items() if not PLACEHOLDER.search(value)}
        for each in values["authors"]
    ]
    return [each for each in filled if "family-names" in each]


def name(author: Mapping[str, str]) -> str:
    """Given names and family name."""
    return f"{author.get('given-names', '')} {author['family-names']}".strip()


def of_project(text: str, values: Mapping[str, Any]) -> str:
    """pyproject.toml with version, authors, addresses, links of the README to the repository."""
    text = re.sub(r'(?m)^version = ".*"$', f'version = "{version()}"', text)
    text = re.sub(r'"(eatlas[\w-]*)==[^"]*"', rf'"\1=={version()}"', text)
    people = [
        {"name": name(each)} | {key: each[key] for key in ("email",) if key in each}
        for each in authors(values)
    ] or [{"name": NOBODY}]
    listed = ", ".join(
        "{ " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in each.items()) + " }"
        for each in people
    )
    text = re.sub(r"(?m)^authors = \[.*\]$", lambda _: f"authors = [{listed}]", text)
    repository, documentation = values["repository"], values["documentation"]
    urls = {
        "Documentation": documentation,
        "Source": repository,
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    hook = "tool.hatch.metadata.hooks.fancy-pypi-readme"
    replaced = [
        (rf"\]\({RELATIVE}\)", rf"]({repository}/blob/v{VERSION}/\1)"),
        (rf'(src|srcset)="{RELATIVE[:-5]}"]+)"', rf'\1="{repository}/raw/v{VERSION}/\2"'),
    ]
    block = [HEAD.rstrip(), "[project.urls]"]
    block += [f"{key} = {json.dumps(value)}" for key, value in urls.items()]
    block += ["", f"[{hook}]", 'content-type = "text/markdown"']
    block += ["", f"[[{hook}.fragments]]", 'path = "README.md"']
    for pattern, replacement in replaced:
        block += ["", f"[[{hook}.substitutions]]"]
        block += [f"pattern = '{pattern}'", f"replacement = '{replacement}'"]
    return text.partition(f"\n{HEAD}")[0] + "\n" + "\n".join(block) + "\n"


def of_citation(text: str, values: Mapping[str, Any]) -> str:
    """CITATION.cff with authors, version, addresses and DOI; its references stay."""
    lines = ["authors:"]
    for each in authors(values) or [{"name": NOBODY}]:
        known = {key: each[key] for key in ("name", "family-names", "given-names") if key in each}
        if "orcid" in each:
            known["orcid"] = f"https://orcid.org/{each['orcid']}"
        if "affiliation" in each:
            known["affiliation"] = each["affiliation"]
        written = [f"{key}: {json.dumps(value)}" for key, value in known.items()]
        lines += [f"  - {written[0]}", *(f"    {line}" for line in written[1:])]
    lines.append(f"repository-code: {values['repository']}")
    lines.append(f"url: {values['documentation']}")
    for key, name in (("doi", "doi"), ("released", "date-released")):
        if not PLACEHOLDER.search(values[key]):
            lines.append(f"{name}: {values[key]}")
    text = re.sub(r"(?m)^version: .*$", f"version: {version()}", text)
    return re.sub(r"(?ms)^authors:.*?(?=^references:)", lambda _: "\n".join(lines) + "\n", text)


def of_codemeta(_: str, values: Mapping[str, Any]) -> str:
    """codemeta.json, from which archives and registries of software read."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    people = [
        {
            "@type": "Person",
            "givenName": each.get("given-names", ""),
            "familyName": each["family-names"],
        }
        | ({"@id": f"https://orcid.org/{each['orcid']}"} if "orcid" in each else {})
        | ({"email": each["email"]} if "email" in each else {})
        for each in authors(values)
    ]
    return _json(
        {
            "@context": "https://w3id.org/codemeta/3.0",
            "@type": "SoftwareSourceCode",
            "name": project["name"],
            "description": project["description"],
            "version": version(),
            "license": "https://spdx.org/licenses/MIT",
            "author": people or [{"@type": "Organization", "name": NOBODY}],
            "codeRepository": values["repository"],
            "issueTracker": f"{values['repository']}/issues",
            "softwareHelp": values["documentation"],
            "programmingLanguage": "Python",
            "runtimePlatform": f"Python {project['requires-python']}",
            "operatingSystem": ["Linux", "macOS", "Windows"],
            "keywords": project["keywords"],
            "developmentStatus": "active",
        }
    )


def of_zenodo(_: str, values: Mapping[str, Any]) -> str:
    """.zenodo.json, which Zenodo reads when a release is archived."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return _json(
        {
            "title": f"eatlas {version()}",
            "description": project["description"],
            "upload_type": "software",
            "access_right": "open",
            "license": "MIT",
            "version": version(),
            "creators": [
                {"name": f"{each['family-names']}, {each.get('given-names', '')}"}
                | {key: each[key] for key in ("orcid", "affiliation") if key in each}
                for each in authors(values)
            ]
            or [{"name": NOBODY}],
            "keywords": project["keywords"],
            "related_identifiers": [
                {"identifier": "arXiv:2408.01966", "relation": "cites", "scheme": "arxiv"}
            ],
        }
    )


def of_site(text: str, values: Mapping[str, Any]) -> str:
    """mkdocs.yml with the addresses of the site and of the repository."""
    text = re.sub(r"(?m)^(site_url|repo_url): .*\n", "", text)
    addresses = f"site_url: {values['documentation']}\nrepo_url: {values['repository']}\n"
    return re.sub(r"(?m)^site_name: .*\n", lambda found: found[0] + addresses, text)


def of_security(text: str, values: Mapping[str, Any]) -> str:
    """SECURITY.md with the address for reports."""
    given = values["security"]
    address = "published with the first release" if PLACEHOLDER.search(given) else given
    return re.sub(r"(?m)^Address: .*$", lambda _: f"Address: {address}", text)


def of_paper(text: str, values: Mapping[str, Any]) -> str:
    """The paper with its authors and their affiliations."""
    people = authors(values) or [{"family-names": NOBODY}]
    people = [{"affiliation": "to be filled in"} | each for each in people]
    affiliations = list(dict.fromkeys(each["affiliation"] for each in people))
    lines = ["authors:"]
    for each in people:
        lines.append(f"  - name: {json.dumps(name(each))}")
        lines += [f"    orcid: {each['orcid']}"] if "orcid" in each else []
        number = affiliations.index(each["affiliation"]) + 1
        lines.append(f"    affiliation: {number}")
    lines.append("affiliations:")
    for number, affiliation in enumerate(affiliations, 1):
        lines += [f"  - name: {json.dumps(affiliation)}", f"    index: {number}"]
    return re.sub(r"(?ms)^authors:.*?(?=^date:)", lambda _: "\n".join(lines) + "\n", text)


def of_readme(text: str, values: Mapping[str, Any]) -> str:
    """README with its notebooks."""
    return with_notebooks(text, values, "")


def of_tutorials(text: str, values: Mapping[str, Any]) -> str:
    """The site's page of tutorials with the same notebooks, which are outside the site."""
    return with_notebooks(text, values, f"{values['repository']}/blob/{revision()}/")


def with_notebooks(text: str, values: Mapping[str, Any], before: str) -> str:
    """A page with links that open the notebooks in Colab, or show them where Colab cannot.

    README has the badge of Colab. The site loads nothing from another host, so it has no badge.
    """
    repository = REPOSITORY.fullmatch(values["repository"])
    listed = []
    for reader in NOTEBOOKS:
        path = f"notebooks/{reader}.ipynb"
        address = f"{before}{path}"
        if repository:
            address = f"{COLAB}/github/{repository[1]}/blob/{revision()}/{path}"
        has_badge = repository and not before
        badge = f" ![Open in Colab]({COLAB}/assets/colab-badge.svg)" if has_badge else ""
        listed.append(f"[for {reader}s{badge}]({address})")
    line = f"Tutorials as notebooks: {' · '.join(listed)}"
    return re.sub(r"(?m)^Tutorials as notebooks:.*$", lambda _: line, text)


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


WRITERS: dict[str, Callable[[str, Mapping[str, Any]], str]] = {
    "pyproject.toml": of_project,
    **{
        f"packages/{path.parent.name}/pyproject.toml": of_project
        for path in sorted(ROOT.glob("packages/*/pyproject.toml"))
    },
    "CITATION.cff": of_citation,
    "codemeta.json": of_codemeta,
    ".zenodo.json": of_zenodo,
    "mkdocs.yml": of_site,
    "paper/paper.md": of_paper,
    "SECURITY.md": of_security,
    "README.md": of_readme,
    "docs/tutorials/index.md": of_tutorials,
}


def release_page(values: Mapping[str, Any]) -> str:
    """The page of this version for the code host: without its title, with links to the site."""
    page = ROOT / "docs" / "releases" / f"{version()}.md"
    text = page.read_text(encoding="utf-8").partition("\n\n")[2]
    return re.sub(r"\]\(\.\./([\w/-]+)\.md", rf"]({values['documentation']}\1.html", text)


def texts() -> Iterator[tuple[Path, str, str]]:
    """Each file, its text, and its text as it should be."""
    values = publication()
    for name, write in WRITERS.items():
        path = ROOT / name
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        yield path, text, write(text, values)


def main(arguments: list[str]) -> int:
    if arguments == ["--ready"]:
        # the archive gives a DOI after the first release
        found = placeholders({key: value for key, value in publication().items() if key != "doi"})
        left = [f"publication.toml: {line} is a placeholder" for line in found]
        if NOT_YET in (ROOT / "README.md").read_text(encoding="utf-8"):
            left.append(f"README.md: the package index would show {NOT_YET!r}")
        print(*left, sep="\n")
        return bool(left)
    if arguments == ["--page"]:
        print(release_page(publication()), end="")
        return 0
    changed = [(path, new) for path, old, new in texts() if old != new]
    for path, new in changed:
        print(f"{path.relative_to(ROOT)} {'differs' if arguments == ['--check'] else 'written'}")
        if arguments != ["--check"]:
            path.write_text(new, encoding="utf-8", newline="\n")
    return bool(changed) and arguments == ["--check"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
