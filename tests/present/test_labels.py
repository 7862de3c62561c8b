"""No path and no source string is a label: sources have names, in every kind of report."""

import re

import pytest
from tests.present.kinds import FOLDER, KINDS, results_of

from eatlas.cli.table import print_results
from eatlas.present import report_html
from eatlas.present.tables import report_table
from eatlas.results.settings import Settings, source_name, together

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


def test_what_settings_share_is_said_once(tmp_path):
    layers = results_of("layers", tmp_path)
    assert Settings.among(layers).in_words(full=True) == ["minilm (layers 0 to 6)"]


def test_a_prompt_is_whole_and_a_path_is_not():
    assert source_name("hf:/a/b?prompt=him%2Fher {}") == "b, prompt him/her {}"
    assert source_name("/a/b.txt?transform=/c/d.npz") == "b.txt, transform d.npz"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["layer 0"], "layer 0"),
        (["layer 0", "layer 1"], "layers 0 and 1"),
        (["layer 1", "layer 2", "layer 3", "layer 7"], "layers 1 to 3 and 7"),
        (["prompt “{}”", "prompt “A {}”"], "prompts “{}” and “A {}”"),
        (["layer 0, prompt “{}”", "layer 1, prompt “{}”"], "layer 0, prompt “{}” and layer 1, prompt “{}”"),
        (["a", "b", "c"], "a, b and c"),
    ],
)  # fmt: skip
def test_settings_in_words(names, said):
    assert together(names) == said
