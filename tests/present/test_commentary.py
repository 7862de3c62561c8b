"""What another package says of results that are shown together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.contracts.test_plugins import install

import eatlas
from eatlas.present.commentary import Commentary, commentaries

MODULE = """
from eatlas.present.commentary import Commentary


class Changed(Commentary):
    def sentence(self, result, sentence):
        return f"Of {result.provenance.explored} lists: {sentence}"

    def title(self):
        return f"; words changed in {len(self.results)}"

    def brief(self):
        return ["Words were changed."]

    def methods(self):
        return "We changed words."

    def methods_cited(self):
        return ["bh"]
"""
SESSION = """
import sys; sys.path.insert(0, {folder!r})
import eatlas

(test,) = eatlas.load_tests("weat-6")
eatlas.run(test)[0].finding
assert "commentary_plugin" not in sys.modules
plain, changed = eatlas.run([test, test.model_copy(update={{"id": "mine", "explored": 3}})])
both = eatlas.Results([plain, changed])
print([finding.sentence[:12] for finding in both.findings])
print(changed.finding.sentence[:12])
for form in ("html", "methods", "bibtex"):
    eatlas.write_report(both, f"report.{{form}}", format=form)
"""


def test_a_package_comments_on_results_that_have_what_it_names(tmp_path: Path) -> None:
    points = "[eatlas.commentaries]\nexplored = commentary_plugin:Changed\n"
    install(tmp_path, "commentary-plugin", points)
    (tmp_path / "commentary_plugin.py").write_text(MODULE, encoding="utf-8")
    code = SESSION.format(folder=str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["['Male names a', 'Of 3 lists: ']", "Of 3 lists: "]
    page, methods, works = (
        (tmp_path / f"report.{form}").read_text() for form in ("html", "methods", "bibtex")
    )
    assert "; words changed in 1</h1>" in page
    assert "Words were changed." in page
    assert "We changed words." in methods
    assert "benjamini1995controlling" in works


def test_results_without_it_have_none() -> None:
    results = eatlas.run("weat-6")
    assert commentaries(results) == []
    plain = Commentary(results)
    assert plain.sentence(results[0], "It holds.") == "It holds."
    assert (plain.title(), *plain.brief(), plain.methods(), *plain.methods_cited()) == ("", "")
