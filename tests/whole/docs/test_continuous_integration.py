"""The files for continuous integration: they parse, and their commands do what the page says."""

import re
import shlex
from pathlib import Path

import pytest
import yaml
from tools.docs.examples import blocks

from eatlas.results.expressions import ATTRIBUTES, Expression

PAGE = Path(__file__).parents[3] / "docs/how-to/continuous-integration.md"
TEXT = PAGE.read_text(encoding="utf-8")
FILES = {block.title: block.text for block in blocks(TEXT) if block.title}


def scripts_of(name):
    """The lines that a workflow file has a shell run."""
    (job,) = (jobs := yaml.safe_load(FILES[name])).get("jobs", jobs).values()
    lines = job.get("script") or [step.get("run", "") for step in job["steps"]]
    return [line for text in lines for line in text.splitlines()]


@pytest.mark.parametrize("name", [".github/workflows/associations.yml", ".gitlab-ci.yml"])
def test_commands_of_workflow_files_pass_and_fail(eatlas_cli, name):
    (command,) = (shlex.split(line) for line in scripts_of(name) if line.startswith("eatlas"))
    (made,) = re.findall(r"^eatlas (.*) --json > baseline.jsonl$", TEXT, re.MULTILINE)
    baseline = eatlas_cli(*shlex.split(made), "--json").out
    Path("baseline.jsonl").write_text(baseline, encoding="utf-8")
    ended = eatlas_cli(*command[1:])
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "Gate passed")
    stricter = [part.replace("1.8", "1.5") for part in command[1:]]
    assert eatlas_cli(*stricter).code == 3
    exec(FILES["test_associations.py"] + "\ntest_associations()\n", {})  # noqa: S102


def test_the_table_has_all_names_of_questions():
    rows = " ".join(re.findall(r"^\| `.*?` \|", TEXT, re.MULTILINE))
    named = set(re.findall(r"`level1\.(\w+)`", rows))
    assert named == set(ATTRIBUTES)
    for text in re.findall(r'--fail-if "([^"]+)"', TEXT):
        Expression.parse(text)
