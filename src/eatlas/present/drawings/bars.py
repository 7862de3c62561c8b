"""Bars for the cells of tables: a share from the left, a change from the middle.

There are thousands on a page, so they are written without detours, and hold nothing but numbers.
"""

from __future__ import annotations

WIDTH, HEIGHT = 92, 10
SHARE = 150
"""Pixels of a whole."""


def share_bar(share: float, *, strong: bool = False) -> str:
    """A share between 0 and 1 as a bar from the left on a faint whole."""
    length = max(share * SHARE, 1.0)
    bar = f'<path d="M0 0h{length:.1f}v{HEIGHT}H0z"{_kind(strong=strong)}/>' if share else ""
    return _svg(SHARE, f'<path d="M0 {HEIGHT // 2}H{SHARE}" class="g"/>{bar}')


def change_bar(change: float, limit: float, *, strong: bool = False) -> str:
    """A change as a bar from the middle, left where it is negative; ``limit`` fills one half."""
    middle = WIDTH // 2
    length = min(abs(change) / limit, 1.0) * (middle - 1) if limit else 0.0
    start = middle if change > 0 else middle - length
    bar = f'<path d="M{start:.1f} 0h{length:.1f}v{HEIGHT}h-{length:.1f}z"{_kind(strong=strong)}/>'
    return _svg(WIDTH, f'{bar}<path d="M{middle} -3V{HEIGHT + 3}" class="z"/>')


def _kind(*, strong: bool) -> str:
    return ' class="b on"' if strong else ' class="b"'


def _svg(width: int, inside: str) -> str:
    """A drawing whose number stands beside it as text, so that nobody needs to hear it."""
    height = HEIGHT + 6
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 -3 {width} {height}" class="fig bar" '
        f'aria-hidden="true">{inside}</svg>'
    )
