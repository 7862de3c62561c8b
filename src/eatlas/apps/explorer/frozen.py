"""A frozen explorer: one page without a server, which answers changes of words by itself.

It holds the cosines of the words of one test, and of further words, in double precision. What is
found with the original words is computed here; a script computes effect sizes, exact p-values and
the EAT pattern of others. All that needs the vectors is absent.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np

from eatlas.apps.explorer.measuring import BoardView, Explorer, Request
from eatlas.apps.explorer.page import board_html, command
from eatlas.errors import EatlasError
from eatlas.numbers import goes
from eatlas.present.drawings.eat_map import PATTERNS, mini, symbols
from eatlas.present.effects import names_of
from eatlas.present.rendering import page_files, render
from eatlas.results import AssociationResult
from eatlas.sources import embed_concepts, is_common_word
from eatlas.stats.inputs import least_spread, relative_tolerance
from eatlas.stimuli import ROLES, AssociationTest, Concept
from eatlas.stimuli.batteries import built_in_tests
from eatlas.version import __version__

MOST_SCORES = 40
"""Scores of which a browser counts all relabellings: two halves of 2**20 sums, a second."""
MOST_WITHOUT = 24
"""The same where each word is left out in turn, to see which ones the finding hangs on."""
POOL = 200
"""Words whose cosines a page holds, or twice those of a longer test: 200 kB."""


def frozen_page(explorer: Explorer) -> str:
    """The page: the finding of the original words, and the data of the script."""
    sources = [source.name for source in explorer.sources]
    for what, named in (("test", list(explorer.tests)), ("source", sources)):
        if len(named) != 1:
            raise EatlasError(
                f"a frozen page holds one {what}",
                got=", ".join(named),
                remedy=f"name one, or save a page for each {what}",
            )
    (test,) = explorer.tests.values()
    _require_countable(explorer, test)
    request = Request(test=test.id)
    view = explorer.view(request)
    if view.problem is not None or view.result is None:
        raise view.problem or EatlasError(f"{test.id} has no result")
    result = explorer.measured(view.lists, view.source)
    board = board_html(explorer, request, replace(view, result=result), chance=False, whole=True)
    data = json.dumps(_data(explorer, view, result), ensure_ascii=False, separators=(",", ":"))
    return render(
        "explore_frozen",
        test=test,
        source=view.source.name,
        board=board,
        command=command(explorer, request),
        data=data.replace("<", "\\u003c"),  # which ends no element of the page
        symbols=symbols(),
        **page_files("explore.css", "explore_frozen.js", "explore.js"),
    )


def _require_countable(explorer: Explorer, test: AssociationTest) -> None:
    """Refuse what the script does not compute."""
    measure: Any = explorer.measure
    plain = explorer.has_patterns and measure.p in {"auto", "exact"} and not measure.strict
    if not plain or measure.statistic != "difference":
        raise EatlasError(
            "a frozen page has exact p-values of ML-EAT",
            got=explorer.measure_text,
            allowed="ml-eat with alpha, ddof, tail, threshold",
            remedy="leave --measure out, or serve the page without --save",
        )
    if any(part.sentences for part in test.concepts.values()):
        raise EatlasError(
            "a frozen page holds a test of words",
            got=f"{test.id}, a test of sentences",
            remedy="serve the page without --save",
        )
    for pair in ("XY", "AB"):
        if (n := sum(len(test.concept(role).terms) for role in pair)) > MOST_SCORES:
            raise EatlasError(
                f"{test.id} is too long for a frozen page",
                got=f"{n} words in {pair[0]} and {pair[1]}",
                allowed=f"at most {MOST_SCORES}, whose relabellings a browser counts",
                remedy="serve the page without --save",
            )


def _data(explorer: Explorer, view: BoardView, result: AssociationResult) -> dict[str, Any]:
    """What the script computes with: words, cosines, names and rules."""
    test, source = view.lists.origin, view.source
    embedded = embed_concepts({role: test.concept(role) for role in ROLES}, source.source)
    rows = {
        term: vector
        for role in ROLES
        for term, vector in zip(embedded.coverage[role].used, embedded.vectors[role], strict=True)
    }
    keys = {term: key for role in ROLES for term, key in embedded.keys[role].items()}
    most = max(POOL, 2 * len(rows))
    for term, key, vector in _further(explorer, embedded.vectors):
        if len(rows) >= most:
            break
        if key not in keys.values():
            rows[term], keys[term] = vector, key
    unit = _unit(np.array(list(rows.values())))
    upper = np.array(
        [a @ b for i, a in enumerate(unit) for b in unit[i + 1 :]], dtype="<f8"
    )  # one by one, as the library does: a product of matrices may split ties
    measure: Any = explorer.measure
    precision = embedded.roundoff
    return {
        "id": test.id,
        "source": source.name,
        "words": list(rows),
        "cosines": b64encode(upper.tobytes()).decode(),
        "ranks": {term: rank for term in keys if (rank := view.ranks.get(term, (None,))[0])},
        "common": [term for term in rows if is_common_word(term, keys[term])],
        "groups": {
            role: {
                "name": name,
                "short": names_of(result)[role],
                "goes": goes(names_of(result)[role]) == "goes",
                "words": list(test.concept(role).terms),
            }
            for role, name in result.concepts.items()
        },
        "missing": {
            term: why for role in ROLES for term, why in embedded.coverage[role].reasons.items()
        },
        "minis": {label: str(mini(label)) for label in PATTERNS},
        "alpha": measure.alpha,
        "ddof": measure.ddof,
        "threshold": measure.threshold,
        "two_sided": measure.tail == "two-sided",
        "tie": relative_tolerance(precision),
        "spread": least_spread(1.0, precision),
        "limit": explorer.reach[test.id, source.name],
        "most": MOST_SCORES,
        "most_without": MOST_WITHOUT,
        "version": __version__,
    }


def _unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _further(
    explorer: Explorer, groups: Mapping[str, np.ndarray]
) -> list[tuple[str, str, np.ndarray]]:
    """Words of other tests with their keys and vectors, in turn those nearest to each group."""
    terms = {
        term: None
        for test in built_in_tests(sentences=False)
        if isinstance(test, AssociationTest)
        for _, part in test.parts
        for term in part.terms
    }
    other = embed_concepts({"X": Concept(name="X", terms=tuple(terms))}, explorer.sources[0].source)
    names, vectors = other.coverage["X"].used, other.vectors["X"]
    unit, near = _unit(vectors), []
    for role in ROLES:
        middle = _unit(groups[role]).mean(axis=0)
        near.append(np.argsort(-(unit @ middle), kind="stable").tolist())
    order = dict.fromkeys(i for places in zip_longest(*near) for i in places)
    return [(names[i], other.keys["X"][names[i]], vectors[i]) for i in order]
