"""No path and no source string is a label: sources have names, in every kind of report."""

import re

import pytest
from tests.present.kinds import FOLDER, KINDS, results_of

from eatlas.cli.table import print_results
from eatlas.present import report_html
from eatlas.present.tables import report_table
from eatlas.results.settings import source_name

WRITTEN = re.compile(
    rf"{re.escape(FOLDER)}|\b(?:hf|cbow|st|py):|glove-sample|https?://(?!www\.w3\.org/2000/svg)|\?layer="
)
"""How sources are written where people do not read them."""
LEFT_OUT = re.compile(
    r'<(style|script|head)\b.*?</\1>|<dl class="provenance".*?</dl>|<pre id="bibtex-text".*?</pre>'
    r'|<nav.*?</nav>|data-\w+="[^"]*"',
    re.DOTALL,
)
"""What no reader sees, and where sources are as they were given."""


@pytest.mark.parametrize("kind", KINDS)
def test_no_path_on_a_page(kind, tmp_path):
    seen = LEFT_OUT.sub("", report_html(results_of(kind, tmp_path)))
    found = [seen[max(0, m.start() - 80) : m.end() + 40] for m in WRITTEN.finditer(seen)]
    assert found == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_path_in_a_terminal_or_in_tables(kind, capsys, tmp_path):
    results = results_of(kind, tmp_path)
    print_results(results)
    seen = [capsys.readouterr().out]
    seen += [report_table(results, form) for form in ("markdown", "latex", "html-table")]
    assert [line for text in seen for line in text.splitlines() if WRITTEN.search(line)] == []


@pytest.mark.parametrize("folder", ["model", "checkpoint"])
def test_a_model_in_a_folder_that_is_no_name_has_the_name_of_the_folder_above(folder):
    assert source_name(f"hf:/data/minilm/{folder}?layer=2") == "minilm, layer 2"
