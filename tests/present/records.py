"""Results made by hand, so that each test says what it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eatlas.results import DivDistResult, MLEATResult, SCEATResult, TrendResult, WEATResult
from eatlas.results.levels import Adjusted, Influence, Uncertainty
from eatlas.results.parts import TAILS

TOTAL = 12870
PATTERNS: dict[str, tuple[str | None, str | None]] = {
    "AB-Divergent": ("A", "B"), "BA-Divergent": ("B", "A"), "A-Uniform": ("A", "A"),
    "B-Uniform": ("B", "B"), "AX-Singular": ("A", None), "BX-Singular": ("B", None),
    "AY-Singular": (None, "A"), "BY-Singular": (None, "B"), "Non-Directional": (None, None),
}  # fmt: skip
NAMES = {"X": "Flowers", "Y": "Insects", "A": "Pleasant", "B": "Unpleasant"}
TERMS = ("one", "two", "three")


def p_values(greater: int, total: int = TOTAL) -> dict[str, Any]:
    """p-values whose greater tail counts `greater` relabellings of a symmetric null."""
    less = total - greater + 1
    counts = {"greater": greater, "less": less, "two_sided": min(2 * min(greater, less), total)}
    return {
        **{tail: n / total for tail, n in counts.items()},
        "method": "exact",
        "count": counts,
        "total": total,
        "min_p": 1 / total,
    }


def level(d: float | None, greater: int | None = None) -> dict[str, Any]:
    """A level of 8 against 8, significant where the sign of d says so; None is undefined."""
    if d is None:
        p = p_values(TOTAL) | {"greater": 1.0, "less": 1.0, "two_sided": 1.0}
        p["count"] = dict.fromkeys(p["count"], TOTAL)
        return {"effect_size": None, "difference": 0.0, "n": [8, 8], "p": p}
    count = greater if greater is not None else (100 if d > 0 else TOTAL - 99)
    return {"effect_size": d, "difference": d / 10, "n": [8, 8], "p": p_values(count)}


def head(**changes: Any) -> dict[str, Any]:
    """What results of every measure say."""
    group = {"used": list(TERMS), "missing": []}
    return {
        "schema": "eatlas/result/1",
        "signature": "ML-EAT(alpha=0.05,ddof=1,p=auto,tail=directional,threshold=0.2)",
        "test": "test-1",
        "title": "A test made by hand",
        "source": "some-vectors",
        "concepts": dict(NAMES),
        "coverage": dict.fromkeys("XYAB", group),
        "provenance": {
            "version": "1.2.3",
            "seed": 7,
            "case": "auto",
            "stimuli_sha256": "5" * 64,
            "source_fingerprint": "sha256:" + "f" * 64,
            "vectors_sha256": "7" * 64,
            "citation": "Someone (2001)",
        },
        **changes,
    }


def ml_eat(
    label: str = "AX-Singular",
    *,
    d: float | None = 1.4,
    d_X: float | None = None,
    d_Y: float | None = None,
    two_sided_label: str | None = None,
    undefined: str = "",
    greater: int | None = None,
    names: dict[str, str] | None = None,
    tail: str = "directional",
    **changes: Any,
) -> MLEATResult:
    """An ML-EAT of some pattern; associations have |d| = 0.9 unless told, others 0.1."""
    x, y = PATTERNS[label]
    sizes = {"A": 0.9, "B": -0.9, None: 0.1}
    given = {"X": d_X if d_X is not None else sizes[x], "Y": d_Y if d_Y is not None else sizes[y]}
    level2 = {
        role: level(
            None if role in undefined else given[role], None if attribute else TOTAL // 2 - 500
        )
        for role, attribute in (("X", x), ("Y", y))
    }
    cell = {"mean": 0.1, "sd": 0.05, "n": 9, "quantiles": [-0.2, 0.0, 0.09, 0.2, 0.4]}
    scores = [0.1, -0.05, 0.2]
    two_sided_label = two_sided_label or label
    return MLEATResult.from_dict(
        head(**changes)
        | {
            "measure": "ml-eat",
            "concepts": NAMES | (names or {}),
            "level1": level(d, greater),
            "level2": level2,
            "level3": dict.fromkeys(("XA", "XB", "YA", "YB"), cell),
            "pattern": {
                "label": label, "direction": _direction(label),
                "two_sided_label": two_sided_label,
                "two_sided_direction": _direction(two_sided_label),
                "X": x, "Y": y, "alpha": 0.05, "threshold": 0.2, "tail": tail,
            },
            "scores": {
                "X": scores,
                "Y": scores,
                "attributes_with_X": {"A": scores, "B": scores},
                "attributes_with_Y": {"A": scores, "B": scores},
            },
        }
    )  # fmt: skip


def _direction(label: str) -> str:
    return label if label == "Non-Directional" else label.split("-")[1]


def weat(d: float | None = 1.2, greater: int | None = None, **changes: Any) -> WEATResult:
    """A WEAT."""
    scores = {"X": [0.1, -0.05, 0.2], "Y": [0.0, 0.02, -0.3]}
    return WEATResult.from_dict(
        head(**{"signature": "WEAT(alpha=0.05,ddof=1,p=auto)", **changes})
        | {"measure": "weat", "level1": level(d, greater), "scores": scores}
    )


def sc_eat(sizes: dict[str, float | None], **changes: Any) -> SCEATResult:
    """An SC-EAT of terms with these effect sizes; a size below 0.5 is not significant."""
    terms = [
        {
            "term": term,
            "group": "X",
            "level2": level(d, None if d is None or abs(d) >= 0.5 else TOTAL // 2),
        }
        for term, d in sizes.items()
    ]
    return SCEATResult.from_dict(
        head(**{"signature": "SC-EAT(alpha=0.05,ddof=1,p=auto)", **changes})
        | {"measure": "sc-eat", "terms": terms}
    )


def with_adjusted(result: Any, after: Any, *names: str, left_out: Any = ()) -> Any:
    """A result whose numbers after covariates, by default frequency, are those of another one."""

    def adjusted(level: Any) -> dict[str, Any]:
        return {**level.to_dict(), "shared": 0.54, "interval": (-0.75, 1.06)}

    values: dict[str, Any] = {"covariates": names or ("frequency",), "left_out": dict(left_out)}
    if terms := getattr(after, "terms", ()):
        values["terms"] = [
            {"term": term.term, "group": term.group, "level2": adjusted(term.level2)}
            for term in terms
        ]
    if after.level1:
        values["level1"] = adjusted(after.level1)
    if after.level2:
        values["level2"] = {role: adjusted(after.level2[role]) for role in "XY"}
        values["pattern"] = after.pattern.to_dict()
    return result.model_copy(update={"adjusted": Adjusted.model_validate(values)})


PLACES = ("level1", "level2.X", "level2.Y")
PValue = float | dict[str, float] | None
"""At every level, or by place; None where it is not known."""


def planted(
    label: str = "AX-Singular",
    *,
    words: PValue = None,
    others: PValue = None,
    after: PValue = None,
    turned: tuple[str, ...] = (),
    terms: int = 5,
    **changes: Any,
) -> MLEATResult:
    """An ML-EAT with these two-sided p-values: of these words, of others, at equal frequency.

    `turned` are the places where d has the other sign at equal frequency; each group has so many
    `terms`.
    """
    group = {"used": [f"word {n}" for n in range(terms)], "missing": []}
    values = ml_eat(label, coverage=dict.fromkeys("XYAB", group), **changes).to_dict()
    for place, own in _levels(values):
        if (p := _at(words, place)) is not None:
            own["p"] = _tails(own["effect_size"], p)
    crossed = {"confidence": 0.95, "level1": None, "level2": {"X": None, "Y": None}}
    adjusted: dict[str, Any] = {"covariates": ["frequency"], "level1": None, "level2": None}
    for place, own in _levels(values):
        d = own["effect_size"] or 0.0
        if (p := _at(others, place)) is not None:
            _put(crossed, place, _crossed(d, p))
        if (p := _at(after, place)) is not None:
            d_after = -d if place in turned else d
            level_after = {**own, "effect_size": d_after, "p": _tails(d_after, p), "shared": 0.4}
            _put(adjusted, place, level_after)
    values["generalisation"] = crossed
    if after is not None:
        values["adjusted"] = adjusted
    return MLEATResult.from_dict(values)


def _levels(values: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    level2 = values["level2"]
    return list(zip(PLACES, (values["level1"], level2["X"], level2["Y"]), strict=True))


def _at(p: PValue, place: str) -> float | None:
    return p.get(place) if isinstance(p, dict) else p


def _put(part: dict[str, Any], place: str, value: dict[str, Any]) -> None:
    if place == "level1":
        part["level1"] = value
    else:
        part["level2"] = (part["level2"] or {}) | {place[-1]: value}


def _tails(d: float, p: float) -> dict[str, Any]:
    """The p-values of a symmetric null whose two-sided p is `p`."""
    tails = (
        {"greater": p / 2, "less": 1 - p / 2} if d > 0 else {"greater": 1 - p / 2, "less": p / 2}
    )
    return {**tails, "two_sided": p, "method": "sampled", "total": TOTAL, "min_p": 1 / TOTAL}


def _crossed(d: float, p: float) -> dict[str, Any]:
    tails = {f"p_{tail}": value for tail, value in _tails(d, p).items() if tail in TAILS}
    numbers = {"difference": d / 10, "se": 0.1, "t": d, "df": 9.0, "low": -0.1, "high": 0.3}
    return numbers | tails | {"targets": 0.1, "attributes": 0.1, "residual": 0.01}


def divdist(**targets: tuple[float, float, float | None] | None) -> DivDistResult:
    """Targets against men and women: deviation of men, raw p, and p after frequency.

    A deviation of a half is one whose other share was cut off at 0; None is no bias at all.
    """
    found = tuple(_shares(term, values) for term, values in targets.items())
    left = [values and values[2] for values in targets.values()]
    adjusted = {
        "covariates": ["frequency"],
        "targets": [
            target | {"p": p} for target, p in zip(map(_after_of, found), left, strict=True)
        ],
    }  # fmt: skip
    names = {"targets": "Jobs", "men": "Men", "women": "Women"}
    group = head()["coverage"]["X"]
    return DivDistResult.from_dict(
        head(measure="divdist", signature="DIVDIST()")
        | {
            "concepts": names, "coverage": dict.fromkeys(names, group),
            "groups": ["men", "women"], "reference": [0.5, 0.5],
            "targets": found, "mean_bias": 0.1,
            "labels": {"statistic": "difference", "sizes": [8, 8], "total": TOTAL, "permutations": None,
                       "min_p": 1 / TOTAL},
            "adjusted": adjusted if any(p is not None for p in left) else None,
        }
    )  # fmt: skip


def _shares(term: str, values: tuple[float, float, float | None] | None) -> dict[str, Any]:
    if values is None:
        nothing = dict.fromkeys(("distribution", "deviation", "bias", "labels"))
        return {"term": term, "association": (None, None), **nothing}
    away, p, _ = values
    shares = (0.5 + away, 0.5 - away)
    return {
        "term": term, "association": shares, "distribution": shares, "deviation": (away, -away),
        "bias": 2 * abs(away), "labels": {"p": p, "method": "exact", "count": round(p * TOTAL)},
    }  # fmt: skip


def _after_of(target: dict[str, Any]) -> dict[str, Any]:
    return {key: target[key] for key in ("term", "deviation", "bias")}


COSINES = tuple(tuple((10 * i + j) / 100 for j in range(6)) for i in range(6))
"""Of targets (three X, three Y) with attributes (three A, three B): 0.00 to 0.55."""


def interval(low: float | None, high: float | None) -> dict[str, Any]:
    """An interval; none where its ends are None."""
    ends = None if low is None else (low, high)
    return {"se": 0.2, "interval": ends, "undefined": 0}


def uncertainty(*, patterns: dict[str, float] | None = None, **changes: Any) -> Uncertainty:
    """Level 1 from 1.0 to 1.7, X from 0.5 to 1.2, Y unknown; shares of the named patterns."""
    shares = dict.fromkeys(PATTERNS, 0.0) | (patterns or {"AX-Singular": 0.75, "A-Uniform": 0.25})
    values = {
        "resamples": 1000,
        "confidence": 0.95,
        "level1": interval(1.0, 1.7),
        "level2": {"X": interval(0.5, 1.2), "Y": interval(None, None)},
        "patterns": shares,
    }
    return Uncertainty.from_dict(values | changes)


def influence(**changes: Any) -> Influence:
    """Every term changes an effect size by 0.01, but for a few."""
    same = dict.fromkeys("XYAB", (0.01, 0.01, 0.01))
    values = {
        "level1": same | {"X": (-0.5, 0.1, None)},
        "level2": {"X": same | {"Y": ()}, "Y": same | {"X": (), "B": (0.01, -0.3, 0.01)}},
    }
    return Influence.from_dict(values | changes)


def adjusted(d: float | None = 0.3, greater: int | None = None) -> dict[str, Any]:
    """What frequency leaves of an ML-EAT: one number at all levels, from -0.2 to 0.9."""
    values = level(d, greater) | {"shared": 0.4, "interval": (-0.2, 0.9)}
    return {"covariates": ["frequency"], "level1": values, "level2": {"X": values, "Y": values}}


def full(label: str = "AX-Singular", **changes: Any) -> MLEATResult:
    """An ML-EAT with everything that it may carry."""
    given: dict[str, Any] = {
        "uncertainty": uncertainty(),
        "influence": influence(),
        "similarities": COSINES,
    }
    own = {key: changes.pop(key) for key in tuple(changes) if key in given}
    return ml_eat(label, **changes).model_copy(update=given | own)


def slope(value: float = 0.09) -> dict[str, Any]:
    """A slope whose interval is 0.05 to either side."""
    ends = [value - 0.05, value + 0.05]
    return {"value": value, "per": "decade", "interval": ends, "over": ["documents", "words"]}


def level_trend(rho: float = 0.9, p: float = 1 / 120, least: float = 1 / 120, **changes: Any):
    """A trend of 18 periods in 120 arrangements of blocks."""
    null = {"p": p, "count": round(p * 120), "total": 120, "exact": True, "min_p": least}
    values = {
        "rho": rho, "slope": slope(rho / 10), "n": 18, "p": null, "block_length": 4,
        "shifts": null | {"p": 2 / 18, "count": 2, "total": 18, "min_p": 1 / 18},
        "autocorrelation": 0.1,
    }  # fmt: skip
    return values | changes


def trend(periods: Sequence[int], **changes: Any) -> TrendResult:
    """A trend of the ML-EATs that :func:`ml_eat` makes: level 1 rises, Y has none."""
    given = head()
    values = {
        "schema": "eatlas/trend/1",
        "measure": "ml-eat",
        **{key: given[key] for key in ("signature", "test", "title", "source", "concepts")},
        "periods": list(periods),
        "level1": level_trend(),
        "level2": {"X": level_trend(-0.2, 0.5), "Y": None},
        "provenance": {
            "version": "1.2.3",
            "seed": 7,
            "seeded_by": "stimuli",
            "stimuli_sha256": "5" * 64,
            "series_fingerprint": "sha256:" + "e" * 64,
        },
    }
    return TrendResult.from_dict(values | changes)


HOSTILE = {
    "X": '<script>alert("x")</script>',
    "Y": "]]> & </svg>\x00\x1b[31m",
    "A": "שמות של גברים ונשים",
    "B": "very long name " * 20 + "end",
}
"""Names of concepts that must stay text."""
