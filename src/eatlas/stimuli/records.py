"""Records that cannot be changed, and that say what is wrong with them in words of a user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

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


Term = Annotated[str, StringConstraints(min_length=1), AfterValidator(_no_outer_space)]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[^\s,;#?=]+$")]

_PARTS = {"terms": "term", "groups": "group", "sentences": "sentence", "images": "image"}
"""What one item of a list is called."""
_CONCEPT_KEYS = ("name", "terms", "images", "sentences")
_SENTENCE_KEYS = ("text", "stimulus", "template", "span", "key")
SENTENCE = '{ text = "This is a rose.", stimulus = "rose" }'
_SHOWN = 60
TABLE = 'X = { name = "Flowers", terms = ["aster", "clover"] }'
CONCEPT = 'Concept(name="Flowers", terms=["aster", "clover"])'
# pydantic's types of errors in our own words: (what follows the key, allowed)
_SAID: dict[str, tuple[str, str | None]] = {
    "missing": ("is missing", None),
    "literal_error": ("has no such value", None),
    "extra_forbidden": ("is not a key that eatlas knows", None),
    "too_short": ("is empty", "one term at least"),
    "string_too_short": ("is an empty string", "a word"),
    "string_type": ("is not text", "a quoted string"),
    "string_unicode": ("holds characters that are not text", "text that can be saved as UTF-8"),
    "tuple_type": ("is not a list", '["one", "two"]'),
    "string_pattern_mismatch": ("is not usable as an id", "no spaces, commas or any of ;#?="),
}
_ALLOWED = {
    ("missing", "reference"): 'reference = "uniform", or a weight for each group',
    ("tuple_type", "groups"): '[{ name = "Female", terms = ["she"] }, ...]',
}
"""What is allowed for one key, where that is not the same for all."""
_NO_CONCEPT = {"key": ("is not a table", TABLE), "argument": ("is not a concept", CONCEPT)}


class _Explaining(ModelMetaclass):
    """What Python calls to make a record: faults come in our words, as a StimulusError.

    It is here and not in ``__init__``, which pydantic would also call for every record within
    a record; where the fault lies would be lost then.
    """

    if not TYPE_CHECKING:  # the signature of each record is known from its fields

        def __call__(cls, *args: object, **values: object) -> object:  # noqa: N805  (a metaclass)
            if args:
                required = [key for key, field in cls.model_fields.items() if field.is_required()]
                raise StimulusError(
                    f"{cls.__name__} takes its arguments by name",
                    got=f"{len(args)} without a name",
                    allowed=f"{cls.__name__}({', '.join(f'{key}=...' for key in required)})",
                )
            values = cls.in_full(values)
            try:
                return super().__call__(**values)
            except ValidationError as error:
                faults = faults_of(cls, error, values, word="argument")
                name = values.get("id", values.get("name"))
                head = f"{cls.__name__} {name!r}" if isinstance(name, str) else cls.__name__
                raise StimulusError("\n".join(f"{head}, {fault}" for fault in faults)) from None


class Frozen(BaseModel, metaclass=_Explaining):
    """A record that cannot be changed and that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)
    whole: ClassVar[str] = "values"
    """What to name where a fault is between keys."""

    @classmethod
    def in_full(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments in full, where Python may give some in a shorter form."""
        return values

    @classmethod
    def between(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:  # noqa: ARG003
        """Yield key and fault of what single values do not show; the values may be of any type."""
        yield from ()

    def __setattr__(self, name: str, value: object) -> None:
        raise self._unchangeable(f"a new value for {name}")

    def __delattr__(self, name: str) -> None:
        raise self._unchangeable(f"an order to delete {name}")

    def _unchangeable(self, got: str) -> StimulusError:
        return StimulusError(
            f"{type(self).__name__} cannot be changed",
            got=got,
            remedy="make another; model_copy(update={...}) copies what stays",
        )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:  # noqa: ARG002  (as pydantic has it)
        """Make another record of the same values but those in `update`, checked as any other."""
        return type(self)(**{**dict(self), **(update or {})})


def faults_of(
    kind: type[Frozen], error: ValidationError, values: Mapping[str, Any], *, word: str = "key"
) -> list[str]:
    """Say everything that is wrong with a record, also what pydantic did not come to look at."""
    said = say_all(error, kind.model_fields, whole=kind.whole, word=word)
    more = [f"{word} {key}: {fault}" for key, fault in kind.between(values)]
    return list(dict.fromkeys([*said, *more]))


def say_all(
    error: ValidationError, keys: Iterable[str], *, whole: str, prefix: str = "", word: str = "key"
) -> list[str]:
    """Say every fault that pydantic found."""
    known = list(keys)
    details: list[dict[str, Any]] = [dict(d) for d in error.errors(include_url=False)]
    lists = {detail["loc"][:-1] for detail in details}
    # a list whose items are all faulty counts as empty as well
    details = [d for d in details if d["type"] != "too_short" or d["loc"] not in lists]
    return [_say(detail, known, whole, prefix, word) for detail in details]


def _say(detail: Mapping[str, Any], known: list[str], whole: str, prefix: str, word: str) -> str:
    """Say one fault, with its place and what is allowed."""
    kind, place = detail["type"], detail["loc"] or (whole,)
    where = f"{word} {prefix}{_place(place)}"
    said: str
    allowed: str | None
    if kind == "value_error":
        return f"{where}: {detail['ctx']['error']}"
    if kind in {"model_type", "model_attributes_type"}:
        no_sentence = ("is not a sentence", SENTENCE)
        said, allowed = no_sentence if "sentences" in place else _NO_CONCEPT[word]
    else:
        said, allowed = _SAID.get(kind, (detail["msg"], None))
        allowed = _ALLOWED.get((kind, str(place[-1])), allowed)
    if kind == "literal_error":
        allowed = detail["ctx"]["expected"]
    elif kind == "string_pattern_mismatch" and not detail["input"]:
        said, allowed = _SAID["string_too_short"]
    if kind == "extra_forbidden":
        said = said.replace("a key", "an argument") if word == "argument" else said
        within = _SENTENCE_KEYS if "sentences" in place else _CONCEPT_KEYS
        said += did_you_mean(str(place[-1]), known if len(place) == 1 else within)
    elif place[-1] != whole and isinstance(place[-1], int) and kind == "string_type":
        where += f" ({_shown(detail['input'])})"
    return f"{where}: {said}" + (f" (allowed: {allowed})" if allowed else "")


def _place(place: Iterable[str | int]) -> str:
    """Name a place in a record; items of lists are counted from 1.

    >>> _place(("groups", 0, "terms", 4))
    'groups.terms, group 1, term 5'
    """
    names: list[str] = []
    numbers: list[str] = []
    for part in place:
        if isinstance(part, int):
            numbers.append(f"{_PARTS.get(names[-1], 'number')} {part + 1}")
        else:
            names.append(part)
    return ", ".join([".".join(names), *numbers])


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def quoted(terms: Iterable[str]) -> str:
    """Terms in quotation marks, for a message."""
    return ", ".join(repr(term) for term in terms)
