"""Draw the path to a measure into docs/images: python tools/docs/draw_path.py."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

DRAWING = Path(__file__).parents[2] / "docs/images/which-measure.svg"
PATH = {
    "Word vectors": {
        "two groups, two attributes": ("ML-EAT, the default", "methods/ml-eat"),
        "the same, as one number": ("WEAT", "methods/weat"),
        "single words, two attributes": ("SC-EAT", "methods/sc-eat"),
        "every word of the vocabulary": ("a scan", "methods/scan"),
        "several groups, or a census": ("DivDist", "methods/divdist"),
        "the score of a certain paper": ("RND, MAC, ECT, RNSB ...", "methods/earlier"),
        "the same, decade by decade": ("ML-EAT and its trend", "methods/series"),
    },
    "A sentence encoder": {"words in plain sentences": ("SEAT", "methods/sentences")},
    "A transformer": {
        "words in prompts": ("ML-EAT with prompts", "how-to/prompts"),
        "sentences of a corpus": ("CEAT", "methods/ceat"),
    },
    "A language model": {
        "words in templates": ("LPBS: probabilities", "methods/lpbs"),
        "sentences of a corpus": ("LPBS within CEAT", "methods/lpbs-ceat"),
    },
    "A chat model": {
        "two words, or two persons": ("Ask: comparisons", "methods/ask"),
        "lists of words": ("word assignments", "methods/assign"),
    },
    "CLIP, image models": {
        "two groups, two attributes": ("ML-EAT of images", "how-to/images"),
        "which label the model gives": ("zero-shot shares", "methods/zero-shot"),
    },
    "A text, no model": {"words that occur together": ("counts, then DivDist", "how-to/text")},
}
"""What the reader has, then what is compared, then the measure and its page."""
ROW, TOP, WIDTH = 36, 44, 760
HAVE, COMPARE, MEASURE = 10, 242, 516
INK, MUTED = "var(--eat-ink, #1d1d21)", "var(--eat-muted, #5a5a63)"
PAPER, RAISED = "var(--eat-paper, #fdfdfc)", "var(--eat-raised, #f5f4f1)"
LINE, BLUE = "var(--eat-strong-line, #8b8982)", "var(--eat-blue, #2c5f8a)"
FONT = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', "
    "Helvetica, Arial, sans-serif"
)


def drawing() -> str:
    """Return the drawing as SVG."""
    height = TOP + ROW * sum(map(len, PATH.values())) + 10 * len(PATH)
    says = "; ".join(
        f"{have}: {', '.join(f'{compare}, {name}' for compare, (name, _) in ways.items())}"
        for have, ways in PATH.items()
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="group" aria-label="{escape(says)}" font-family="{FONT}" '
        f'font-size="13.5" style="fill:{INK}">'
    )
    background = f'<rect width="{WIDTH}" height="{height}" style="fill:{PAPER}"/>'
    return "\n".join([head, background, *_heads(), *_rows(), "</svg>"]) + "\n"


def _heads() -> Iterator[str]:
    for x, text in (
        (HAVE, "What do you have?"),
        (COMPARE, "What do you compare?"),
        (MEASURE, "Measure"),
    ):
        yield f'<text x="{x}" y="22" font-weight="650" font-size="15">{text}</text>'


def _rows() -> Iterator[str]:
    y = TOP
    for have, ways in PATH.items():
        middle = y + ROW * len(ways) / 2
        yield _line(HAVE + 180, middle, HAVE + 200)
        yield _box(HAVE, middle, 180, have)
        last = y + ROW * (len(ways) - 0.5)
        yield f'<path d="M{HAVE + 200} {y + ROW / 2} V{last}" style="stroke:{LINE};fill:none"/>'
        for row, (compare, (name, page)) in enumerate(ways.items()):
            at = y + ROW * (row + 0.5)
            yield _line(HAVE + 200, at, COMPARE - 8)
            yield f'<text x="{COMPARE}" y="{at + 4.5}" style="fill:{MUTED}">{compare}</text>'
            yield _line(MEASURE - 24, at, MEASURE - 4)
            yield f'<a href="{page}.html">{_box(MEASURE, at, 234, name, BLUE)}</a>'
        y += ROW * len(ways) + 10


def _line(start: float, y: float, end: float) -> str:
    return f'<path d="M{start} {y} H{end}" style="stroke:{LINE};fill:none"/>'


def _box(x: float, y: float, width: float, text: str, colour: str = INK) -> str:
    return (
        f'<rect x="{x}" y="{y - 14}" width="{width}" height="28" rx="5" '
        f'style="fill:{RAISED};stroke:{LINE}"/>'
        f'<text x="{x + 12}" y="{y + 4.5}" font-weight="600" style="fill:{colour}">{text}</text>'
    )


if __name__ == "__main__":
    DRAWING.write_text(drawing(), encoding="utf-8")
