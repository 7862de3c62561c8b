"""What a user of a scan or a check gets wrong: one message, exit code 2, nothing written."""

import pytest
from tests.cli.test_mistakes import folder, one_message_and_nothing_written  # noqa: F401

SCAN = "scan --vectors glove-sample --attributes weat-7"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("scan --vectors glove-sample", "two groups of attributes are needed\n  got: none\n  allowed: --attributes TEST, or both --a WORD,WORD,... and --b WORD,WORD,...\n"),
        (f"{SCAN} --b she,her", "two groups of attributes are needed\n  got: --attributes and --b\n"),
        (f"{SCAN} --frequency-bands ten", "--frequency-bands: these are not ranks\n  got: ten\n"),
        (f"{SCAN} --top -1", "--top"),
        (f"{SCAN} --out x.xlsx", "x.xlsx: all words of a scan cannot be written in this format\n  got: .xlsx\n  allowed: .csv, .parquet\n"),
        ("scan --attributes weat-7 --vectors x=", "nothing is named 'x'"),
        ("tests expand weat-6 glove-sample", "remedy: weat-6 comes with eatlas: eatlas tests show weat-6 prints it"),
        ("vectors check none.txt", "error: none.txt: there is no such file"),
        ("vectors check glove-sample?transform=centre", "error: unknown transform\n  got: 'centre'\n  allowed: center, standardize, whiten, all-but-the-top:K, "),
    ],
)  # fmt: skip
def test_one_message_and_nothing_written(eatlas_cli, folder, arguments, said):  # noqa: F811
    one_message_and_nothing_written(eatlas_cli, folder, arguments, said)
