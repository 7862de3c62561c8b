"""The check of a built site sees what is loaded, and lets links be links."""

import pytest
from tools.docs.check_site import foreign, main

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/x.css">',
        '<img src="http://pictures.example/x.png">',
        '<img srcset="https://pictures.example/x.png 2x">',
        '<p style="background: url(https://pictures.example/x.png)">',
    ],
)
def test_what_is_loaded_from_another_host_is_found(tmp_path, capsys, markup):
    (tmp_path / "index.html").write_text(markup)
    assert main(str(tmp_path)) == 1
    assert "index.html: " in capsys.readouterr().err


def test_style_sheets_too(tmp_path):
    (tmp_path / "a.css").write_text('@import "https://fonts.example/x.css"; p { color: red }')
    assert foreign(tmp_path) == ["a.css: https://fonts.example/x.css"]


def test_links_and_files_beside_the_page_are_no_fault(tmp_path, capsys):
    page = '<a href="https://example.org">x</a><script src="a.js"></script>'
    (tmp_path / "index.html").write_text(f'{page}<link rel="canonical" href="https://e.org/">')
    assert main(str(tmp_path)) == 0
    assert "1 pages, nothing loaded from another host" in capsys.readouterr().out


def test_a_site_without_pages_is_no_site(tmp_path):
    assert main(str(tmp_path)) == 1
