"""What can go wrong, in messages of four parts: what, got, allowed, remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from numbers import Integral

_SHOWN = 60
"""Characters of a value in a message."""


class EatlasError(Exception):
    """A mistake in the input, explained."""

    def __init__(
        self,
        what: str,
        *,
        got: str | None = None,
        allowed: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.what, self.got, self.allowed, self.remedy = what, got, allowed, remedy
        parts = (("got", got), ("allowed", allowed), ("remedy", remedy))
        super().__init__("\n".join([what, *(f"  {k}: {v}" for k, v in parts if v is not None)]))

    def _render_traceback_(self) -> list[str]:
        """Lines that IPython and Jupyter show in place of a traceback: the message says it all."""
        return [*f"{type(self).__name__}: {self}".splitlines(), *getattr(self, "__notes__", ())]

    def __reduce__(self) -> tuple[object, ...]:
        """Keep the keyword arguments when an error crosses a process border."""
        state = {"got": self.got, "allowed": self.allowed, "remedy": self.remedy}
        return _rebuild, (type(self), self.what, state)


def _rebuild(kind: type[EatlasError], what: str, state: dict[str, str | None]) -> EatlasError:
    return kind(what, **state)


def listing(names: Iterable[str], most: int = 20) -> str:
    """Names for a message: all of a few, the first of many and how many more there are."""
    every = list(names)
    more = len(every) - most
    return ", ".join(every[:most]) + (f" and {more:,} more" if more > 0 else "")


def join_names(names: Sequence[str]) -> str:
    """All names as a sentence lists them."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def described(value: object) -> str:
    """What was handed over, for `got`: the value where it is short, and its type."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    text, kind = repr(value), type(value).__name__
    brief = len(text) <= _SHOWN and "\n" not in text and not text.startswith("<")
    return f"{text} ({kind})" if brief else kind


def nearest(name: str, known: Iterable[str], count: int = 1) -> list[str]:
    """Return the known names nearest to a name, best first; capitals and dashes do not count."""
    plain = {one.casefold().lstrip("-"): one for one in known}
    return [plain[n] for n in difflib.get_close_matches(name.casefold().lstrip("-"), plain, count)]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Ask for the nearest known name, as the end of a sentence; empty if none is near."""
    near = nearest(name, known)
    return f"; did you mean {near[0]}?" if near else ""


class StimulusError(EatlasError):
    """A test, battery or test file is not usable as written."""


class SourceError(EatlasError):
    """A source of vectors cannot be opened or read."""


class UntrustedSourceError(SourceError):
    """A file names a source that would do more than read data, and the user did not name it."""


class CoverageError(EatlasError):
    """Too few terms of a group have a vector."""


class SignatureError(EatlasError):
    """A measure's name or parameters cannot be understood."""


class ResultsError(EatlasError):
    """A results file cannot be read or written."""


class NoTestError(EatlasError, AttributeError):
    """A result has no significance test, or several, and so no single p-value."""


class StudyError(EatlasError):
    """The plan of a study, or a folder with one, is not usable."""


class ContractError(EatlasError):
    """A measure, record or source of another package does not do what it must."""


class PackageError(ContractError, ImportError):
    """A name of a package of eatlas that is not installed."""


class EatlasWarning(UserWarning):
    """Base of every warning that eatlas gives.

    Parameters
    ----------
    note : eatlas.notes.Note or str
        What it says; kept as the attribute `note`.
    about : str, optional
        What it is about, such as the id of a test; in front of the sentence.
    """

    def __init__(self, note: object, about: str = "") -> None:
        super().__init__(note, about)
        self.note, self.about = note, about

    def __str__(self) -> str:
        return f"{self.about}: {self.note}" if self.about else str(self.note)


class StimulusWarning(EatlasWarning):
    """A test is usable, but something about its stimuli deserves a look."""


class SourceWarning(EatlasWarning):
    """A source was read, but something about it deserves a look."""


class AnisotropyWarning(EatlasWarning):
    """Cosines say little in this space; the message names the figure that shows it."""


class UndefinedWarning(EatlasWarning):
    """A quantity is not defined for this input and is NaN or null."""


class PluginWarning(EatlasWarning):
    """Another package adds something that cannot be used; all else can."""


def require_whole(
    name: str, value: object, least: int, *words: str, most: int | None = None
) -> int:
    """A whole number from `least`, to `most` if any; `words` are what it may be instead."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is None or number < least or (most is not None and number > most):
        numbers = f"a whole number from {least}" + (f" to {most:,}" if most is not None else "")
        raise EatlasError(
            f"{name} is not usable",
            got=described(value),
            allowed=" or ".join([numbers, *map(repr, words)]),
        )
    return number
