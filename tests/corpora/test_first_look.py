"""Pages of HTML are refused, and wrapped lines are noticed, before a corpus is read."""

import gzip
import warnings
from textwrap import fill

import pytest

from eatlas.corpora import find_contexts
from eatlas.corpora.files import is_wrapped
from eatlas.errors import SourceError, SourceWarning
from tests.inputs import make_test


def prose(count):
    """Sentences of which no two are alike."""
    return "".join(
        f"In garden {n} of the house an aster grew beside the ivy. Nobody had planted it in {n}. The "
        f"wasp and {n} ants came for love of its colour, or so the children said. It was the year "
        f"{1900 + n}, a year of peace. "
        for n in range(count)
    )


WORDS = [
    "aster",
    "love",
    "ivy",
    "war",
    "a",
    "the",
    "of",
    "garden",
    "house",
    "wall",
    "child",
    "ant",
    "grew",
    "beside",
    "came",
    "for",
    "said",
]


def lines_of(count=200):
    """Sentences of several lengths, one a line, without capitals or full stops."""
    return [" ".join(WORDS[(i * k) % 17] for k in range(3 + i % 15)) for i in range(1, count)]


def test_a_folder_of_pages_is_refused_by_their_names_before_anything_is_read(tmp_path):
    for name in ("b.html", "c.htm", "a.txt"):
        (tmp_path / name).write_text("An aster.")
    (tmp_path / "d.html.gz").write_bytes(gzip.compress(b"An aster."))
    with pytest.raises(SourceError) as caught:
        find_contexts(tmp_path, make_test(), progress=pytest.fail)
    assert "b.html: this is a page of HTML or XML; its tags" in str(caught.value)
    assert "got: the name b.html" in str(caught.value)


@pytest.mark.parametrize("text", ["<doc id='12'>\nAn aster.\n</doc>\n", "2 < 3 <html>\naster\n"])
def test_texts_with_angles_are_no_pages(tmp_path, text):
    (tmp_path / "corpus.txt").write_text(text)
    assert len(find_contexts(tmp_path, make_test())) == 1


def test_wrapped_lines_are_noticed(tmp_path):
    path = tmp_path / "wrapped.txt"
    path.write_text(fill(prose(9), 72) + "\n\n" + fill(prose(3), 72) + "\n")
    with pytest.warns(SourceWarning) as said:
        found = find_contexts(path, make_test())
    assert str(said[0].message) == (
        f"{path}: sentences seem to continue on the next line, but each line is read as a text of "
        "its own, at whose end contexts end; --unit paragraph (unit='paragraph') reads the text "
        "between blank lines"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = find_contexts(path, make_test(), unit="paragraph")
    longest = [max(len(row.text) for row in one.rows) for one in (found, whole)]
    assert longest[0] < longest[1]


@pytest.mark.parametrize("width", [40, 65, 79, 100])
def test_any_usual_width_is_noticed(width):
    assert is_wrapped(fill(prose(30), width))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(lines_of()),
        "\n".join(f"{line.capitalize()}." for line in lines_of()),
        prose(20).replace(". ", ".\n"),
        "\n".join(fill(prose(3), 72).splitlines()[:10]),
        "\n".join(
            ["A verse that ends", "In the middle of", "A thought, and so", "They all do"] * 9
        ),
        "An aster and a wasp for love in war of the\n" * 99,
        "\n".join(fill(prose(30), 400).splitlines()),
        "",
    ],
    ids=["sentences", "capitals", "one a line", "few lines", "verse", "one line", "wide", "empty"],
)
def test_other_texts_are_not_taken_for_wrapped(text):
    assert not is_wrapped(text)
