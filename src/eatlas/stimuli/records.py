"""Records that cannot be changed, and that say what is wrong with them in words of a user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from eatlas.errors import StimulusError, did_you_mean

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


def _no_outer_space(text: str) -> str:
    if text != text.strip():
        raise ValueError(f"{text!r} begins or ends with a space, so no vector would match it")
    return text


def without_fault(fault_of: Callable[[str], str | None], allowed: str) -> AfterValidator:
    """Refuse a text with what `fault_of` says is wrong with it, and what is allowed."""

    def validate(text: str) -> str:
        if fault := fault_of(text):
            raise ValueError(f"{fault} (allowed: {allowed})")
        return text

    return AfterValidator(validate)


Term = Annotated[str, StringConstraints(min_length=1), AfterValidator(_no_outer_space)]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[^\s,;#?=]+$")]

ITEMS = {
    "terms": "term",
    "groups": "group",
    "sentences": "sentence",
    "images": "image",
}
"""What one item of a list is called."""
_KEYS = ("name", "terms", "images", "sentences", "text", "stimulus", "template")
"""Keys of concepts and sentences."""
_ALLOWED = {
    "Concept": '{ name = "Flowers", terms = ["aster", "clover"] }',
    "ExploredOn": "a table as eatlas scan --write writes it",
    "tuple_type": '["one", "two"]',
    "string_type": "a quoted string",
    "string_pattern_mismatch": "no spaces, commas or any of ;#?=",
}
"""What is allowed, by pydantic's type of error, or by the record that should be there."""
_NO_GOT = ("missing", "extra_forbidden", "value_error", "too_short", "string_too_short")
_SHOWN = 60


class _Explaining(ModelMetaclass):
    """What Python calls to make a record: faults come as a StimulusError.

    It is here and not in ``__init__``, which pydantic would also call for every record within
    a record; where the fault lies would be lost then.
    """

    if not TYPE_CHECKING:  # the signature of each record is known from its fields

        def __call__(cls, *args: object, **values: object) -> object:  # noqa: N805  (a metaclass)
            try:
                return super().__call__(*args, **values)
            except ValidationError as error:
                name = values.get("id", values.get("name"))
                head = f"{cls.__name__} {name!r}" if isinstance(name, str) else cls.__name__
                faults = (
                    f"{head}, argument {fault_at(place, fault)}" if place else f"{head}: {fault}"
                    for place, fault in faults_of(error, cls.model_fields)
                )
                raise StimulusError("\n".join(faults)) from None


class Frozen(BaseModel, metaclass=_Explaining):
    """A record that cannot be changed and that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:  # noqa: ARG002  (as pydantic has it)
        """Make another record of the same values but those in `update`, checked as any other."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**fields | dict(update or {}))


Place = tuple[str | int, ...]


def faults_of(error: ValidationError, keys: Iterable[str]) -> Iterator[tuple[Place, str]]:
    """Yield every fault that pydantic found: its place, and what is wrong there.

    `keys` are the keys of the record, for a suggestion where one is misspelled.
    """
    details = error.errors(include_url=False)
    within = Counter(d["loc"][:depth] for d in details for depth in range(len(d["loc"]) + 1))
    for detail in details:
        kind, place = detail["type"], detail["loc"]
        if kind == "too_short" and within[place] > 1:  # all of its items are faulty, which is said
            continue
        fault = detail["msg"].removeprefix("Value error, ").removesuffix(", not 0")
        if kind != "value_error":
            fault = (fault[0].lower() + fault[1:]).replace(" after validation", "")
            fault = fault.replace("tuple", "list").replace("field required", "this key is required")
        if kind == "extra_forbidden":
            elsewhere = {*keys, *_KEYS} - {place[-1]}
            fault = f"unknown key{did_you_mean(str(place[-1]), sorted(elsewhere))}"
        if kind not in _NO_GOT:
            text = repr(detail["input"])
            fault += f", got {text if len(text) <= _SHOWN else f'{text[: _SHOWN - 3]}...'}"
        if allowed := _ALLOWED.get(detail.get("ctx", {}).get("class_name", kind)):
            fault += f" (allowed: {allowed})"
        yield place, fault


def fault_at(place: Place, fault: str) -> str:
    """Say a fault with its place in a record; items of lists are counted from 1.

    >>> fault_at(("groups", 0, "terms", 4), "is empty")
    'groups.terms, group 1, term 5: is empty'
    """
    names: list[str] = []
    numbers: list[str] = []
    for part in place:
        if isinstance(part, int):
            numbers.append(f"{ITEMS.get(names[-1], 'number')} {part + 1}")
        else:
            names.append(part)
    return f"{', '.join(['.'.join(names), *numbers])}: {fault}"


def quote(terms: Iterable[str]) -> str:
    """Terms in quotation marks, for a message."""
    return ", ".join(repr(term) for term in terms)
