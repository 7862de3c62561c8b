"""What is asked of an encoder: every text once, with the tokens that its passages need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from eatlas.encoders.loading import Loaded
from eatlas.encoders.options import Options
from eatlas.encoders.pooling import ALL, CHOOSE
from eatlas.encoders.tokens import Tokens, need_offsets, shown, tokenize, tokenize_cut
from eatlas.errors import SourceError
from eatlas.sources.passages import Passage, Unknown

Passages = dict[str, list[Passage]]


@dataclass(frozen=True)
class Asked:
    """One text as tokens, and the passages that need the same tokens of it, together."""

    text: str
    tokens: Tokens
    needed: Mapping[tuple[int, ...], tuple[Passage, ...]]
    lost: tuple[Passage, ...] = ()
    """Those whose stimulus lies, in whole or in part, behind the place where the text was cut."""

    @property
    def ids(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What the model is given: numbers of the tokens, and their segments."""
        return tuple(self.tokens.ids), tuple(self.tokens.types)

    def unknown(self, tokenizer: Any, *, whole: bool) -> dict[Passage, Unknown]:
        """Passages with pieces that the tokenizer does not know, and how much of them that is.

        With `whole` a vector stands for the text, else for the stimulus.
        """
        piece = tokenizer.unk_token_id
        places = [i for i, one in enumerate(self.tokens.ids) if one == piece]
        if piece is None or not places or tokenizer.unk_token in self.text:
            return {}
        found: dict[Passage, Unknown] = {}
        for one in (each for several in self.needed.values() for each in several):
            span = one.span if self.tokens.offsets is not None else None
            stands = self.tokens.of_text if span is None else self.tokens.of_span(span)
            if stands and set(stands) <= set(places):
                found[one] = "all"
            elif set(self.tokens.of_text if whole else stands) & set(places):
                found[one] = "part"
        return found


def of_different_tokens(asked: Iterable[Asked]) -> list[Asked]:
    """Put texts of the same tokens together, so that the model computes them once.

    The longest come first; the order depends on the tokens alone.
    """
    grouped: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Asked]] = defaultdict(list)
    for each in asked:
        grouped[each.ids].append(each)
    order = sorted(grouped, key=lambda ids: (-len(ids[0]), ids))
    return [_together(grouped[ids]) for ids in order]


def _together(several: list[Asked]) -> Asked:
    if len(several) == 1:
        return several[0]
    needed: dict[tuple[int, ...], tuple[Passage, ...]] = defaultdict(tuple)
    for each in several:
        for places, passages in each.needed.items():
            needed[places] += passages
    return Asked(several[0].text, several[0].tokens, needed)


def by_text(passages: Collection[Passage]) -> Passages:
    """Group passages by their text, which the model reads once."""
    grouped: Passages = defaultdict(list)
    for one in passages:
        grouped[one.text].append(one)
    return grouped


def prepare(
    loaded: Loaded, grouped: Passages, options: Options, pool: str, where: str
) -> list[Asked]:
    """Tokenise texts and find the tokens that are needed.

    Raises
    ------
    SourceError
        Naming the first text that is too long, has no token, or not the one that is asked for.
    """
    if options.level == "word":
        need_offsets(loaded.tokenizer, where)
    texts = list(grouped)
    asked = []
    for text, tokens in zip(texts, tokenize(loaded.tokenizer, texts), strict=True):
        fitting = _fitting(loaded, text, tokens, where, cut=options.truncate)
        needed = defaultdict(list)
        lost = {one for one in grouped[text] if _lost(one, tokens, fitting, options)}
        for one in grouped[text]:
            if one not in lost:
                needed[_places(loaded, one, fitting, options, pool, where)].append(one)
        asked.append(Asked(text, fitting, {k: tuple(v) for k, v in needed.items()}, tuple(lost)))
    return asked


def _lost(one: Passage, whole: Tokens, kept: Tokens, options: Options) -> bool:
    """Whether a text was cut within the stimulus, or before it.

    A vector of the whole text needs no more than a part of the stimulus: the stimulus may be the
    text.
    """
    if one.span is None or not kept.cut:
        return False
    there, all_of_it = len(kept.of_span(one.span)), len(whole.of_span(one.span))
    return there < all_of_it if options.level == "word" else not there and all_of_it > 0


def _fitting(loaded: Loaded, text: str, tokens: Tokens, where: str, *, cut: bool) -> Tokens:
    limit = loaded.limit
    if limit is None or len(tokens.ids) <= limit:
        return tokens
    if cut:
        return tokenize_cut(loaded.tokenizer, text, limit)
    raise SourceError(
        f"{where}: a text is longer than the model takes: {shown(text)}",
        got=f"{len(tokens.ids):,} tokens",
        allowed=f"up to {limit:,} tokens, special ones included",
        remedy="shorten it, or add truncate=yes, which cuts it and says so; a --window in words "
        "keeps contexts short",
    )


def _places(
    loaded: Loaded, one: Passage, tokens: Tokens, options: Options, pool: str, where: str
) -> tuple[int, ...]:
    if options.level == "word":
        found = _of_stimulus(one, tokens, where)
    elif pool == "cls":
        found = _cls(loaded, tokens, where)
    elif pool.endswith(ALL):
        found = list(range(len(tokens.ids))) if tokens.of_text else []
    else:
        found = tokens.of_text
    if not found:
        raise SourceError(
            f"{where}: a text has no token: {shown(one.text)}", allowed="a text of words"
        )
    return tuple(CHOOSE[pool](found))


def _of_stimulus(one: Passage, tokens: Tokens, where: str) -> list[int]:
    if one.span is None:
        raise SourceError(
            f"{where}: at level word a vector stands for the stimulus in a text, and this text has "
            f"none: {shown(one.text)}",
            remedy="level=sentence, or give the stimulus' span in the test file",
        )
    found = tokens.of_span(one.span)
    if found:
        return found
    raise SourceError(
        f"{where}: no token stands for the stimulus {one.stimulus!r} in {shown(one.text)}",
        got=" ".join(tokens.pieces[:20]),
    )


def _cls(loaded: Loaded, tokens: Tokens, where: str) -> list[int]:
    """Place of the token that stands for the whole text; XLNet has it at the end."""
    number = loaded.tokenizer.cls_token_id
    found = [i for i, each in enumerate(tokens.ids) if each == number and tokens.special[i]]
    if found:
        return found[:1]
    raise SourceError(
        f"{where}: the tokenizer of this model adds no [CLS] token",
        got=" ".join(tokens.pieces[:20]),
        allowed="pool=mean, first, last or max",
    )
