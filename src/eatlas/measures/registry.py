"""From a name or a signature to a measure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, TypeAlias, cast

from eatlas.errors import EatlasError, SignatureError, described, nearest
from eatlas.measures.base import Measure, require_parameters
from eatlas.plugins import absent, load_class, load_point, points, unusable, usable
from eatlas.signature import Signature

if TYPE_CHECKING:
    from eatlas.measures.function import Function

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
    "ripa": "pairs:RIPA",
    "direct-bias": "pairs:DirectBias",
    "indirect-bias": "pairs:IndirectBias",
    "same": "k_groups:SAME",
    "generalised-weat": "k_groups:GeneralisedWEAT",
}
"""Module and class of each measure; a run imports those that it requests."""
ENTRY_POINTS = "eatlas.measures"
MeasuresLike: TypeAlias = "str | Measure | Function | Mapping[str, Function]"
"""What :func:`eatlas.run` takes as a measure."""


def measure_names() -> tuple[str, ...]:
    """Names of all measures."""
    return (*BUILT_IN, *points(ENTRY_POINTS, BUILT_IN))


def list_measures() -> list[str]:
    """Return the names of all measures, also of measures that other packages add.

    Returns
    -------
    list of str
        Each is a signature that :func:`eatlas.get_measure` and :func:`eatlas.run` take.

    Examples
    --------
    >>> import eatlas
    >>> eatlas.list_measures()[:4]
    ['ml-eat', 'weat', 'sc-eat', 'divdist']
    """
    return list(measure_names())


def load_measure(point: EntryPoint) -> type[Measure]:
    """The measure that an entry point names, a class or a function."""
    value = load_point(point)
    if isinstance(value, type) or not callable(value):
        return cast("type[Measure]", load_class(point, Measure))
    try:
        return _type_of_function(value, point.name)
    except SignatureError as error:
        raise unusable(point, error.what, f"{error.got}", error.allowed) from error


def measure_type(name: str) -> type[Measure]:
    """Import the measure of a name."""
    if name in BUILT_IN:
        module, kind = BUILT_IN[name].split(":")
        measure = getattr(import_module(f"eatlas.measures.{module}"), kind)
    else:
        measure = load_measure(points(ENTRY_POINTS)[name])
    return cast("type[Measure]", measure)


@cache
def measure_types() -> dict[str, type[Measure]]:
    """Measures by name; other packages add theirs as entry points."""
    added = usable(ENTRY_POINTS, BUILT_IN, load_measure)
    return {name: measure_type(name) for name in BUILT_IN} | added


def _type_of_function(function: Function, name: str) -> type[Measure]:
    """The measure that a function is, under its own name or another."""
    from eatlas.measures.function import function_type  # noqa: PLC0415  (few measures are functions)

    return function_type(function, name)


def measure_of_function(function: Function, name: str = "") -> Measure:
    """The measure that a function is, under its own name or another that no measure has."""
    measure = _type_of_function(function, name)()
    if measure.name in measure_names():
        raise SignatureError(
            f"there is a measure {measure.name} already",
            got=f"a function of the name {measure.name}",
            remedy=f'give it another name: measures={{"my-{measure.name}": function}}',
        )
    return measure


def measures_of(given: object) -> list[Measure]:
    """Measures of what a user names: one or several, and a mapping from names to functions."""
    if isinstance(given, Mapping):
        if strange := [value for value in given.values() if not callable(value)]:
            raise SignatureError(
                "a mapping gives names to functions, and this is not one",
                got=described(strange[0]),
                allowed='{"my-measure": function}; other measures in a list: ["weat", {...}]',
            )
        return [measure_of_function(function, name) for name, function in given.items()]
    if isinstance(given, list | tuple):
        return [measure for part in given for measure in measures_of(part)]
    return [get_measure(given)]  # type: ignore[arg-type]


def get_measure(spec: str | Measure | Function) -> Measure:
    """Return the measure that a signature names; a bare name means its defaults.

    A function of the vectors of X, Y, A and B, or of some of them, is a measure of its own name.

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
    if callable(spec) and not isinstance(spec, type):
        return measure_of_function(spec)
    if not isinstance(spec, str):
        raise SignatureError(
            "this is not a measure",
            got=described(spec),
            allowed="a signature such as 'ml-eat', a measure such as eatlas.MLEAT(), or a function "
            "of X, Y, A and B",
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
    parameters = dict(signature.params)
    require_parameters(kind, parameters)
    return kind(**parameters)


@lru_cache(maxsize=1_000)  # one signature stands in thousands of results
def brief_signature(text: str) -> str:
    """A signature without the parameters that have their default values.

    The signature of a measure that is not installed is returned whole.

    >>> brief_signature("WEAT(alpha=0.01,ddof=1,p=auto)"), brief_signature("MAC()")
    ('WEAT(alpha=0.01)', 'MAC')
    """
    try:
        signature = Signature.parse(text)
        default = Signature.parse(get_measure(signature.name).signature)
    except EatlasError:
        return text
    own = tuple(item for item in signature.params if item not in default.params)
    return str(Signature(signature.name, own)).removesuffix("()")
