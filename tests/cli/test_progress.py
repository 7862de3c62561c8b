"""Progress in lines: when they come, and what they say."""

import pytest

from eatlas.cli import progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_lines_come_now_and_then_and_say_how_far_it_is(clock, capsys):
    lines, at = progress.Lines("words", 10.0, done=1000), []
    for second in range(1, 100):
        clock[0] = 100.0 + second
        lines(1000 + second * 10, 13_000)
        if said := capsys.readouterr().err:
            at.append(second)
            last = said
    assert at == [10, 40, 70]
    assert last == "words: 1,700 of 13,000 (13%), about 18.8 min left\n"


def test_a_short_piece_of_work_says_nothing(clock, capsys):
    lines = progress.Lines("words", 20.0)
    clock[0] += 10
    lines(10, 20)
    clock[0] += 30
    lines(20, 20)  # it is done
    assert capsys.readouterr().err == ""
