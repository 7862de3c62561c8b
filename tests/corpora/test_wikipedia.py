"""Dumps of Wikipedia: which pages are articles, what of their markup is text, and what is damaged."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eatlas.corpora import find_contexts
from eatlas.corpora.files import Account, wikipedia_rows
from eatlas.corpora.wikipedia import plain_text
from tests.corpora.test_shards import HEAD, page


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''Ada''' was ''it''.", "Ada was it."),
        ("[[Nurse]]s and [[nursing|the nurse]].", "Nurses and the nurse."),
        ("A.{{Infobox|name=she {{x|y}}}} B.", "A. B."),
        ("{{a|{{{1|}}}}}Text.", "Text."),
        ("A.<ref name=\"x\">he {{cite}}</ref> B.<ref name=x /> C.", "A. B. C."),
        ("A<!-- she\n-->B", "AB"),
        ("{|\n! she !! he\n|-\n| {{x}} || [[y]]\n|}\nText.", "Text."),
        ("[[File:x.jpg|thumb|A [[nurse]] at work]]Text.", "Text."),
        ("Text.\n[[Category:Nurses]]\n[[fr:Infirmière]]", "Text."),
        ("[[:Category:Nurses]]", "Category:Nurses"),
        ("== Life ==\nShe ran.\nHe sat.", "Life\n\nShe ran.\n\nHe sat."),
        ("* one\n# two\n: three\n----", "one\n\ntwo\n\nthree"),
        ("[http://x.org the site], [http://x.org]", "the site,"),
        ("H<sub>2</sub>O<br/>and&nbsp;more &amp; __NOTOC__", "H2O and more &"),
        ("<math>she^2</math>x<gallery>\nFile:a.jpg|he\n</gallery>", "x"),
        ("unclosed {{template and [[link", "unclosed template and link"),
        ("closed }} and ]] and |}", "closed  and  and |}"),
        ("<ref>never closed. She ran.", "never closed. She ran."),
        ("", ""),
    ],
)  # fmt: skip
def test_markup(markup, text):
    assert plain_text(markup) == text


def test_what_a_parser_of_wikitext_says():
    """Words of running text are those that mwparserfromhell leaves, where both leave markup out."""
    import mwparserfromhell as parser

    markup = (
        "'''Ada Lovelace''' (1815–1852) was an [[England|English]] [[mathematician]]"
        "{{sfn|Fuegi|2003}} and {{small|x}}writer, ''chiefly'' [[known]] for work on the "
        "[[Analytical Engine]].\n\n== Life ==\nShe met [[Charles Babbage|Babbage]] in 1833.\n"
    )
    expected = parser.parse(markup).strip_code().split()
    assert plain_text(markup).split() == expected


PIECES = [
    "{{", "}}", "{|", "|}", "[[", "]]", "|", "\n", "'", "''", "<ref>", "</ref>", "<!--", "-->", "x",
    "=", "*", "<math>",
]  # fmt: skip


@settings(max_examples=100)
@given(st.lists(st.sampled_from(PIECES)))
def test_any_markup_ends(parts):
    plain_text("".join(parts))


@pytest.mark.parametrize(
    "piece", ["{{", "[[", "[[a|", "<ref>", "<!--", "{|\n", "}}", "''", "[http://"]
)
def test_unbalanced_markup_is_looked_through_once(piece):
    """If time grew with the square of the size, this would take many minutes."""
    text = piece * (150_000 // len(piece))
    assert len(plain_text(text)) <= len(text)


def rows(xml):
    account = Account("dump.xml")
    return [text for _, text, _ in wikipedia_rows(io.BytesIO(xml.encode()), account)], account


def test_articles_alone():
    pages = [
        page("A", "An article &amp; more."),
        page("B", "#REDIRECT [[A]]", more='    <redirect title="A" />\n'),
        page("Talk:A", "She said.", ns="1"),
        page("C", "#redirect [[A]]"),
        page("D", "Another."),
    ]
    found, account = rows(HEAD + "".join(pages) + "</mediawiki>")
    assert found == ["An article & more.", "Another."]
    assert dict(account.skipped) == {"redirect": 2, "page that is not an article": 1}


def test_the_latest_revision():
    old = page("A", "New.").replace(
        "<revision>", "<revision><text>Old.</text></revision><revision>"
    )
    assert rows(old)[0] == ["New."]


def test_damaged_pages_are_named():
    pages = [page("A", "One."), page("B", "Two & broken."), page("C", "Three.")]
    found, account = rows(HEAD + "".join(pages) + "  <page><title>never")
    assert found == ["One.", "Three."]
    assert [line["line"] for line in account.named] == [8, 18]
    assert "no sound XML" in account.named[0]["why"]
    assert account.named[1]["why"] == "a page that never ends"


def test_entities_are_not_expanded():
    bomb = page("A", "&lol;")
    found, account = rows('<!DOCTYPE x [<!ENTITY lol "she">]>' + HEAD + bomb)
    assert (found, account.damaged) == ([], 1)


def test_contexts_come_from_dumps_too(tmp_path):
    path = tmp_path / "simplewiki-pages-articles.xml"
    path.write_text(HEAD + page("A", "'''Home''' is where the [[family]] is.") + "</mediawiki>")
    found = find_contexts(path, "weat-6", window="sentence")
    assert found.of_stimulus("family")[0].text == "Home is where the family is."


@pytest.mark.parametrize("reference", ["&#" + "1" * 5000 + ";", "&#x" + "F" * 5000 + ";"])
def test_a_reference_to_a_character_that_does_not_exist(reference):
    assert plain_text(f"A doctor{reference} came.") == "A doctor\ufffd came."
