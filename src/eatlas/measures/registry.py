"""From a name or a signature to a measure."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from eatlas.errors import SignatureError, described
from eatlas.measures.base import AssociationMeasure
from eatlas.measures.ceat import CEAT
from eatlas.measures.known import KNOWN
from eatlas.measures.lpbs import LPBS
from eatlas.measures.lpbs_ceat import LPBSCEAT
from eatlas.measures.ml_eat import MLEAT
from eatlas.measures.sc_eat import SCEAT
from eatlas.measures.weat import WEAT
from eatlas.nearest import did_you_mean, nearest
from eatlas.signature import Signature

BUILT_IN: tuple[type[AssociationMeasure], ...] = (MLEAT, WEAT, SCEAT, CEAT, LPBS, LPBSCEAT)
ENTRY_POINTS = "eatlas.measures"
KNOWN.update({measure.name: measure for measure in BUILT_IN})


@cache
def measure_types() -> dict[str, type[AssociationMeasure]]:
    """Measures by name; other packages add theirs as entry points."""
    known = {measure.name: measure for measure in BUILT_IN}
    known |= {point.name: point.load() for point in entry_points(group=ENTRY_POINTS)}
    KNOWN.update(known)
    return known


def get_measure(spec: str | AssociationMeasure) -> AssociationMeasure:
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
    if isinstance(spec, AssociationMeasure):
        return spec
    if not isinstance(spec, str):
        raise SignatureError(
            "this is no measure",
            got=described(spec),
            allowed="a signature such as 'ml-eat', or a measure such as eatlas.MLEAT()",
        )
    names = [name.strip() for name in spec.lower().split(",")]
    if len(names) > 1 and all(name in measure_types() for name in names):
        raise SignatureError(
            f"one measure was expected, not {spec!r}",
            remedy="repeat the option: "
            + " ".join(f"--measure {name}" for name in names)
            + "; in Python, give a list",
        )
    signature = Signature.parse(spec)
    kind = measure_types().get(signature.name)
    if kind is None:
        near = nearest(signature.name, measure_types())
        raise SignatureError(
            f"there is no measure {signature.name!r}",
            allowed=", ".join(measure_types()),
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    return kind(**_known_parameters(kind, signature))


def _known_parameters(kind: type[AssociationMeasure], signature: Signature) -> dict[str, Any]:
    allowed = sorted(field.name for field in fields(kind) if field.init)
    for name, _ in signature.params:
        if name not in allowed:
            raise SignatureError(
                f"{kind.name} has no parameter {name!r}{did_you_mean(name, allowed)}",
                allowed=", ".join(allowed),
            )
    return dict(signature.params)
