import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.present.records import full, ml_eat, sc_eat, weat
from tests.present.tables.reading import latex_text

from eatlas.errors import ResultsError
from eatlas.present import report_table
from eatlas.present.tables import latex_text as escape
from eatlas.present.text import one_line

SAME = str.maketrans({"\N{NO-BREAK SPACE}": " ", "\ufffd": "?"})


@given(st.text())
@pytest.mark.slow
def test_every_text_is_printed_as_it_is(text):
    line = one_line(text)
    assert latex_text(escape(line)).translate(SAME) == line.translate(SAME)


@pytest.mark.parametrize(
    "text",
    ["a--b", "a---b", "''", "``", "!`", "?`", ",,", "\\end{tabular}", "[2em]", "*", "%", "~^", "–-", "-–", "'’"],
)  # fmt: skip
def test_what_latex_would_read_otherwise(text):
    assert latex_text(escape(text)) == text


def test_letters_that_pdflatex_does_not_know_come_with_their_number():
    assert escape("Ω字é") == r"\eatlasletter{3A9}{Ω}\eatlasletter{5B57}{字}é"


def rows(text: str) -> list[list[str]]:
    """Cells of the rows between the rules, without what is nested in them."""
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    flat = re.sub(r"\\begin\{tabular\}\[t\]\{.*?\}\}?(.*?)\\end\{tabular\}", "(stack)", body)
    lines = [line for line in flat.splitlines() if line.endswith(r" \\")]
    return [re.split(r"(?<!\\)&", line[:-3]) for line in lines]


def test_the_table_of_a_paper():
    both = [full(), full(test="two", label="A-Uniform")]
    text = report_table(both, "latex")
    assert r"\usepackage{booktabs,array}" in text
    assert "resizebox" not in text
    assert r"\textbf{test-1} \newline Flowers / Insects \newline Pleasant / Unpleasant" in text
    assert r"1.40 \\ {[}1.00, 1.70{]}" in text
    assert r".016 \\ \textendash{} \\ \textendash{}" in text
    assert [len(row) for row in rows(text)] == [6, 6]
    assert "Level 3" not in text
    text = report_table(both, "latex", columns="wide")
    assert (
        r"\caption{2 results of ML-EAT(alpha=0.05,\allowbreak{}ddof=1,\allowbreak{}p=auto,"
        r"\allowbreak{}tail=directional,\allowbreak{}threshold=0.2) on some-vectors.}"
    ) in text
    assert r"\label{tab:eatlas-ml-eat}" in text
    assert r"\multicolumn{2}{c}{Level 1} & \multicolumn{1}{c}{Level 2, X}" in text
    assert r"\cmidrule(lr){6-6} \cmidrule(lr){7-9} \cmidrule(lr){11-14}" in text
    assert r"Flowers / Insects \newline Pleasant / Unpleasant" in text
    assert r"1.40\rlap{$^{*}$} \\ {[}1.00, 1.70{]} \\ .0078 \\ (.016)" in text
    assert [len(row) for row in rows(text)] == [15, 15]


def test_a_table_longer_than_a_page_goes_on_over_pages():
    text = report_table([weat(test=f"test-{n}") for n in range(40)], "latex")
    assert r"\usepackage{booktabs,array,longtable}" in text
    assert r"\begin{longtable}" in text
    assert "table*" not in text


def test_columns_that_no_table_has_are_refused():
    with pytest.raises(ResultsError, match="columns 'wid'; did you mean wide"):
        report_table([weat()], "latex", columns="wid")


def test_small_p_values_are_powers_of_ten():
    values = ml_eat().to_dict()
    values["level1"]["p"]["two_sided"] = 3.2e-8
    text = report_table([type(ml_eat()).from_dict(values)], "latex")
    assert r"$3.2\times10^{-8}$" in text


def test_braces_and_environments_close():
    names = dict.fromkeys("XYAB", r"} \end{table} [x] & \\ %")
    given = [full(names=names, test="[1em]"), weat(test="*")]
    text = report_table([*given, sc_eat({"%": 1.0, "&": None})], "latex")
    plain = re.sub(r"\\[{}]", "", text)
    assert plain.count("{") == plain.count("}")
    opened, closed = (re.findall(rf"\\{word}\{{(.*?)\}}", plain) for word in ("begin", "end"))
    assert sorted(opened) == sorted(closed)
    assert opened.count("table*") == 3
    assert [len(row) for row in rows(text)] == [6]  # of the first table


def test_rows_do_not_begin_with_an_option():
    text = report_table([weat(test="[2em]"), weat(test="*")], "latex")
    assert "\n[2em]" not in text
    assert [row[0].strip() for row in rows(text)] == [
        f"\\textbf{{{test}}} \\newline Flowers / Insects \\newline Pleasant / Unpleasant"
        for test in ("{[}2em{]}", "{*}")
    ]
