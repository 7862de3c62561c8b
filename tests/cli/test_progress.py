"""Progress in lines: when they come, and what they say."""

import pytest

from eatlas.cli import progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_lines_come_at_once_and_then_more_and_more_seldom(clock, capsys):
    lines = progress.Lines("words", 1.0)
    at = []
    for second in range(1, 400):
        clock[0] = 100.0 + second
        lines(second * 10, 100_000)
        if capsys.readouterr().err:
            at.append(second)
    assert at == [1, 3, 8, 18, 38, 68, 128, 188, 248, 308, 368]


def test_what_a_line_says(clock, capsys):
    lines = progress.Lines("words", 1.0, done=1000)
    clock[0] += 2
    lines(3000, 13_000)
    assert capsys.readouterr().err == (
        "words: 3,000 of 13,000 (23%), 1,000 a second, about 10 s left\n"
    )


def test_a_short_piece_of_work_says_nothing(clock, capsys):
    lines = progress.Lines("words", 20.0)
    clock[0] += 10
    lines(10, 20)
    clock[0] += 30
    lines(20, 20)  # it is done
    assert capsys.readouterr().err == ""
