"""`eatlas tests expand`: wildcards are written out once."""

from tests.cli.test_tests_check import WILD


def test_wildcards_are_written_out_once(eatlas_cli, tmp_path):
    (tmp_path / "wild.toml").write_text(WILD)
    assert "nurs*, zzzzq*" in " ".join(eatlas_cli("tests", "check", "wild.toml").err.split())
    refused = eatlas_cli("run", "--tests", "wild.toml")
    assert refused.code == 2
    assert "'nurs*' is a wildcard, not a word" in refused.err
    assert not (tmp_path / "out").exists()
    done = eatlas_cli("tests", "expand", "wild.toml", "glove-sample", "-o", "words.toml")
    assert done.code == 0
    assert "group X: zzzzq*: no word of glove-sample matches it" in " ".join(done.err.split())
    assert '"nurse", "nurses", "nursing", "teacher"' in (tmp_path / "words.toml").read_text()
    assert eatlas_cli("tests", "check", "words.toml").err == ""
    assert eatlas_cli("run", "--tests", "words.toml", "--measure", "weat").code == 0
