"""Source strings: paths, options, members."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sources.files.writers import as_text

from eatlas import open_vectors
from eatlas.sources.spec import escape, parse_file_spec, parse_options


@pytest.mark.parametrize(
    ("text", "path", "options", "member"),
    [
        ("v.txt", "v.txt", {}, None),
        ("v.txt?a=b", "v.txt", {"a": "b"}, None),
        ("v.txt?a=b&c=d=e", "v.txt", {"a": "b", "c": "d=e"}, None),
        ("v.zip#m/n.txt", "v.zip", {}, "m/n.txt"),
        ("v.zip?a=b#m?n#o", "v.zip", {"a": "b"}, "m?n#o"),
        ("v.npy?vocab=my%20words%26more.txt", "v.npy", {"vocab": "my words&more.txt"}, None),
        ("v.zip#a%23b", "v.zip", {}, "a#b"),
        ("v.txt?", "v.txt", {}, None),
        ("C:\\v.txt?a=b", "C:\\v.txt", {"a": "b"}, None),
    ],
)
def test_parts(text, path, options, member):
    found = parse_file_spec(text)
    assert (str(found.path), dict(found.options), found.member) == (path, options, member)


def test_an_existing_path_wins(tmp_path):
    for name in ("what?.txt", "a#b.txt", "a?encoding=yes"):
        (tmp_path / name).write_bytes(as_text())
        assert set(open_vectors(tmp_path / name).lookup({"cat"})) == {"cat"}
        assert set(open_vectors(f"{tmp_path / name}?encoding=utf-8").lookup({"cat"})) == {"cat"}


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=3))
def test_escaped_options_come_back(options):
    text = "&".join(f"{escape(k)}={escape(v)}" for k, v in options.items() if "=" not in k)
    assert parse_options(text, "x") == {k: v for k, v in options.items() if "=" not in k}
