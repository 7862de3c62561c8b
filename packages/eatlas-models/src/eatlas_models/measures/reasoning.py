"""How many tokens a model reasons with before answers that follow a test's pairing, and others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import scipy

from eatlas.results.parts import finite
from eatlas_models.measures.answers import Design
from eatlas_models.results.answers import ReasoningBlock, ReasoningRecord
from eatlas_models.stimuli.asking import Reply
from eatlas_models.stimuli.choosing import choice_of

COMPATIBLE = ({"X", "A"}, {"Y", "B"})
"""Groups of a target and an attribute that a test puts together."""
DECIMALS = 6
Counts = dict[int, dict[bool, list[int]]]
"""Tokens by subject, then by whether the answer is compatible."""


def reasoning_of(
    design: Design, replies: Sequence[Reply], confidence: float
) -> ReasoningRecord | None:
    """Reasoning tokens of sampled answers, by block; None where the model counts none.

    Blocks have the answers to comparisons of options of both groups. Their difference is the mean
    over subjects of the difference within a subject, with an interval by Student's t over subjects.
    """
    every = [tokens for reply in replies for tokens in reply.reasoning if tokens is not None]
    if not any(every):
        return None
    counts: Counts = {}
    for subject, block, tokens in _answers_by_block(design, replies):
        counts.setdefault(subject, {True: [], False: []})[block].append(tokens)
    blocks = [[n for own in counts.values() for n in own[which]] for which in (True, False)]
    within = np.array([
        np.mean(own[False]) - np.mean(own[True]) for own in counts.values() if all(own.values())
    ])  # fmt: skip
    difference = float(within.mean()) if len(within) else math.nan
    interval = None
    if len(within) > 1 and np.ptp(within):
        error = float(within.std(ddof=1)) / math.sqrt(len(within))
        reach = error * float(scipy.stats.t.ppf((1 + confidence) / 2, len(within) - 1))
        interval = (round(difference - reach, DECIMALS), round(difference + reach, DECIMALS))
    compatible, incompatible = map(_block, blocks)
    return ReasoningRecord(
        answers=len(every),
        mean=round(float(np.mean(every)), DECIMALS),
        compatible=compatible,
        incompatible=incompatible,
        difference=finite(difference, DECIMALS),
        interval=interval,
        subjects=len(within),
    )


def _answers_by_block(design: Design, replies: Sequence[Reply]) -> Iterator[tuple[int, bool, int]]:
    """Subject, block and tokens of each answer that chooses between options of both groups."""
    subjects, pairs, orders = design.shape
    places = product(range(subjects), range(pairs), range(orders))
    for (subject, pair, order), prompt, reply in zip(places, design.prompts, replies, strict=True):
        options = [design.competitors[place] for place in design.pairs[pair]]
        if options[0][0] == options[1][0]:
            continue
        for text, tokens in zip(reply.texts, reply.reasoning, strict=False):
            choice = choice_of(text, prompt.options)
            if tokens is None or not isinstance(choice, int):
                continue
            groups = {design.subjects[subject][0], options[choice ^ order][0]}
            yield subject, groups in COMPATIBLE, tokens


def _block(tokens: Sequence[int]) -> ReasoningBlock:
    """How many answers a block has, and their mean."""
    mean = round(float(np.mean(tokens)), DECIMALS) if tokens else None
    return ReasoningBlock(answers=len(tokens), mean=mean)
