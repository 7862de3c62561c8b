"""Packages of eatlas go before others that name the same readers and schemes."""

from tests.contracts.test_readers import beside  # noqa: F401


def test_no_reader_and_no_scheme_takes_the_place_of_one_of_eatlas(beside):  # noqa: F811
    done = beside(
        "from eatlas.engine import reader_of\n"
        "print(reader_of('vectors').name, reader_of('counts').name)\n"
        "from eatlas.sources.opening import open_vectors\n"
        "try: open_vectors('https://localhost:1/other')\n"
        "except eatlas.EatlasError as error: print(type(error).__name__)"
    )
    assert not done.returncode, done.stderr
    assert done.stdout.split() == ["vectors", "a", "table", "of", "counts", "SourceError"]
    assert "counts of my-norms cannot be used: eatlas itself brings counts" in done.stderr
    assert "https of my-norms cannot be used: eatlas itself brings https" in done.stderr
