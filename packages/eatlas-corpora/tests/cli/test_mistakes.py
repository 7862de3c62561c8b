"""What a user of a corpus gets wrong: one message, exit code 2, nothing written."""

import pytest
from tests.cli.test_mistakes import folder, one_message_and_nothing_written  # noqa: F401


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("text none.txt --tests jobs.toml", "error: none.txt: there is no such file\n"),
        ("text corpus.txt --tests jobs.toml -o c.xlsx", "error: c.xlsx: counts cannot be written in this format\n"),
        ("text corpus.txt --tests jobs.toml --span 0", "Invalid value for '--span'"),
        ("text corpus.txt --tests weat-6", "error: the test weat-6 has no social groups\n"),
        ("text table.csv --tests jobs.toml -o table.csv", "error: table.csv: this is also the input file"),
        ("embed none.txt --tests mine.toml --vectors glove-sample --by year --bins 10", "error: --bins: 10 is one year, not the length of a part; did you mean decades?\n"),
        ("embed none.txt --tests mine.toml --vectors glove-sample --by year --bins decade", "error: the ranges of years cannot be used; did you mean decades?\n"),
        ("contexts none.txt --tests mine.toml", "error: none.txt: there is no such file\n"),
        ("contexts corpus.txt --tests weat-6 weat-7", "error: weat-7: there is no such file\n  allowed: a file, a folder with files in it, or a pattern such as 'RC_*.zst'\n  remedy: a test has this name; repeat the option for each test: --tests weat-7\n"),
        ("contexts corpus.txt --tests mine.toml -o c.xlsx", "error: c.xlsx: contexts cannot be written in this format\n"),
        ("contexts corpus.txt --tests mine.toml -o folder.csv", "error: folder.csv: cannot be written\n  got: Is a directory\n"),
        ("contexts table.csv --tests mine.toml -o table.csv", "this is also the input file; writing would destroy it\n"),
    ],
)  # fmt: skip
def test_one_message_and_nothing_written(eatlas_cli, folder, arguments, said):  # noqa: F811
    one_message_and_nothing_written(eatlas_cli, folder, arguments, said)
