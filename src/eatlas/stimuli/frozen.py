"""Records that cannot be changed, and that say in our words what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from eatlas.errors import StimulusError
from eatlas.stimuli.faults import say_all

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class _Explaining(ModelMetaclass):
    """What Python calls to make a record: faults come in our words, as a StimulusError.

    It stands here and not in ``__init__``, which pydantic would also call for every record within
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
    """What to name where a fault lies between keys."""

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
    """Say everything that is wrong with a record, also what pydantic did not come to look at.

    Parameters
    ----------
    kind : type of record
    error : ValidationError
    values : mapping
        What the record was to be made of.
    word : {"key", "argument"}
        What the parts of the record are called.
    """
    said = say_all(error, kind.model_fields, whole=kind.whole, word=word)
    more = [f"{word} {key}: {fault}" for key, fault in kind.between(values)]
    return list(dict.fromkeys([*said, *more]))
