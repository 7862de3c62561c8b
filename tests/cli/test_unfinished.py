"""What a run that was killed left behind, and the next one takes over."""

import re

import pytest

from eatlas.engine import Store, execute, make_plan


@pytest.mark.filterwarnings("default::eatlas.EatlasWarning")
def test_a_number_that_was_edited_is_no_finding(eatlas_cli, tmp_path, test_file, vectors_csv):
    command = ("run", "--tests", test_file, "--vectors", vectors_csv, "--measure", "weat")
    eatlas_cli(*command)
    honest = (tmp_path / "out" / "results.jsonl").read_bytes()
    plan = make_plan(str(test_file), str(vectors_csv), "weat")
    with Store(tmp_path / "out") as store:
        execute(plan, store=store)
    path = tmp_path / "out" / "unfinished.jsonl"
    text = path.read_text("utf-8")
    edited = re.sub(r'"effect_size":-?\d', '"effect_size":9', text)
    assert edited != text
    path.write_text(edited, encoding="utf-8")
    ended = eatlas_cli(*command)
    assert ended.code == 0
    assert (
        "unfinished.jsonl: 1 line is damaged; the missing results are computed again" in ended.err
    )
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == honest
    assert not path.exists()
