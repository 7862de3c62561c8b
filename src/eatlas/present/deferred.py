"""Parts of a long page that wait, packed, until a reader asks for them.

The figures and tables of a thousand results make 37 MB of markup. Their tags are much alike: each
that comes often is written as one letter that no text of the page uses, which leaves 14 MB, and
deflating leaves 3 MB; deflating alone would leave 8 MB. The page's script unpacks what is opened,
without a network.
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

PACK = 16
"""Parts that are packed together: more of them shrink better, and take longer to open."""
OFTEN = 20
"""A tag that comes as often gets a letter."""
_TAG = re.compile("<[^>]*>")
_PRIVATE = range(0xE000, 0xF900)
"""Letters that Unicode leaves to whoever needs some; texts hardly ever use them."""


@dataclass
class Deferred:
    """Collects parts; each is known by its pack and its place therein."""

    parts: list[str] = field(default_factory=list)

    def add(self, html: str) -> tuple[int, int]:
        """Keep a part; return the numbers by which the script finds it."""
        self.parts.append(html)
        return divmod(len(self.parts) - 1, PACK)

    def packs(self) -> list[Markup]:
        """Pack all parts: first the letters with their tags, then the parts in their order.

        Each is Base64 of deflated JSON, fit to stand in a page; nothing where there are no parts.
        """
        if not self.parts:
            return []
        letters = _letters(self.parts)
        short = [_TAG.sub(lambda m: letters.get(m[0], m[0]), part) for part in self.parts]
        packs = [short[start : start + PACK] for start in range(0, len(short), PACK)]
        return [_packed({letter: tag for tag, letter in letters.items()}), *map(_packed, packs)]


def _letters(parts: Sequence[str]) -> dict[str, str]:
    """A letter for each tag that comes often, none that any part uses itself."""
    counts = Counter(tag for part in parts for tag in _TAG.findall(part))
    used = set().union(*map(set, parts))
    free = (letter for code in _PRIVATE if (letter := chr(code)) not in used)
    often = (tag for tag, times in counts.most_common() if times >= OFTEN)
    return dict(zip(often, free, strict=False))


def _packed(value: object) -> Markup:
    text = json.dumps(value, ensure_ascii=False)
    return Markup(b64encode(zlib.compress(text.encode(), level=9)).decode())  # noqa: S704
