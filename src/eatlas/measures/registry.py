"""From a name or a signature to a measure."""

from __future__ import annotations

from dataclasses import fields
from functools import cache, partial
from importlib import import_module
from typing import cast

from eatlas.errors import SignatureError, described, did_you_mean, nearest
from eatlas.measures.base import Measure
from eatlas.plugins import absent, load_class, points, usable
from eatlas.signature import Signature

BUILT_IN = {
    "ml-eat": "ml_eat:MLEAT",
    "weat": "weat:WEAT",
    "sc-eat": "sc_eat:SCEAT",
    "divdist": "divdist:DivDist",
    "rnd": "earlier:RND",
    "mac": "earlier:MAC",
    "ect": "earlier:ECT",
    "rnsb": "earlier:RNSB",
    "semaxis": "earlier:SemAxis",
    "ripa": "earlier:RIPA",
    "direct-bias": "earlier:DirectBias",
    "indirect-bias": "earlier:IndirectBias",
    "same": "k_groups:SAME",
    "generalised-weat": "k_groups:GeneralisedWEAT",
}
"""Module and class of each measure; a run imports those that it requests."""
ENTRY_POINTS = "eatlas.measures"


def measure_names() -> tuple[str, ...]:
    """Names of all measures."""
    return (*BUILT_IN, *points(ENTRY_POINTS, BUILT_IN))


def measure_type(name: str) -> type[Measure]:
    """Import the measure of a name."""
    if name in BUILT_IN:
        module, kind = BUILT_IN[name].split(":")
        measure = getattr(import_module(f"eatlas.measures.{module}"), kind)
    else:
        measure = load_class(points(ENTRY_POINTS)[name], Measure)
    return cast("type[Measure]", measure)


@cache
def measure_types() -> dict[str, type[Measure]]:
    """Measures by name; other packages add theirs as entry points."""
    added = usable(ENTRY_POINTS, BUILT_IN, partial(load_class, kind=Measure))
    return {name: measure_type(name) for name in BUILT_IN} | added


def get_measure(spec: str | Measure) -> Measure:
    """Return the measure that a signature names; a bare name means its defaults.

    Raises
    ------
    SignatureError
        If the name or a parameter is unknown, or a value is not allowed.

    Examples
    --------
    >>> get_measure("ml-eat(alpha=0.01)").signature
    'ML-EAT(alpha=0.01,ddof=1,p=auto,tail=directional,threshold=0.2)'
    """
    if isinstance(spec, Measure):
        return spec
    if not isinstance(spec, str):
        raise SignatureError(
            "this is not a measure",
            got=described(spec),
            allowed="a signature such as 'ml-eat', or a measure such as eatlas.MLEAT()",
        )
    names = [name.strip() for name in spec.lower().split(",")]
    if len(names) > 1 and all(name in measure_names() for name in names):
        raise SignatureError(
            f"one measure was expected, not {spec!r}",
            remedy="repeat the option: "
            + " ".join(f"--measure {name}" for name in names)
            + "; in Python, give a list",
        )
    signature = Signature.parse(spec)
    if signature.name not in measure_names():
        near = nearest(signature.name, measure_names())
        raise absent("measures", signature.name) or SignatureError(
            f"there is no measure {signature.name!r}",
            allowed=", ".join(measure_names()),
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    kind = measure_type(signature.name)
    allowed = sorted(field.name for field in fields(kind) if field.init)
    for name, _ in signature.params:
        if name not in allowed:
            raise SignatureError(
                f"{kind.name} has no parameter {name!r}{did_you_mean(name, allowed)}",
                allowed=", ".join(allowed),
            )
    return kind(**dict(signature.params))
