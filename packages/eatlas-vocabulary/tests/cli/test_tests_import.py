"""A collection of tests is imported by language and test."""

import json

from tests.cli.test_tests_import import SEAT

from eatlas import load_tests


def test_a_collection_by_language_and_test(eatlas_cli, tmp_path):
    rows = [
        {"language": tag, "weat": name, **SEAT} for tag in ("de", "he") for name in ("W1", "W2")
    ]
    path = tmp_path / "hub.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    ended = eatlas_cli(
        "tests", "import", path, "--format", "weathub", "--language", "he", "--test", "W2",
        "-o", tmp_path / "one.toml",
    )  # fmt: skip
    assert (ended.code, ended.err) == (0, "")
    assert [test.language for test in load_tests(tmp_path / "one.toml")] == ["he"]
    refused = eatlas_cli("tests", "import", path, "--format", "sent-bias", "--test", "W2")
    assert refused.code == 2
    assert "has one test in one language" in refused.err
