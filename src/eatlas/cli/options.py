"""Commands declared once: a signature in plain Python, and a numpydoc docstring that is its help.

Parameters before the ``*`` of a signature are arguments, those after it options of the same name.
In the section "Parameters" of the docstring, the text after the colon holds other names of an
option, its metavar and its least value (``-o, --output FILE``, ``N >= 1``); the help follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from inspect import Parameter, getdoc, signature
from itertools import takewhile
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

from eatlas.errors import nearest

_SECTION = "\nParameters\n----------\n"
_ENTRY = re.compile(r"^(\w+)(?: : (.*))?\n((?:[ ]{4}.*\n?)+)", re.MULTILINE)
_BROKEN = re.compile(r"(?<=\S)\n(?=\S)(?!Exit codes:)")
"""A line that ends where the docstring is full; the terminal breaks lines by its own width."""
_BRACKET = re.compile(r"\[(?=[a-z])")
_FORM = re.compile(r"((?:--?[a-z-]+(?:, |$| ))*)(.*?)(?: ?>= (\d+))?")

SHARED = {
    "seed": ("N >= 0", "Seed of all random numbers. Recorded with the results."),
    "workers": ("N >= 1", "Number of processes. [default: as many as are useful]"),
    "engine": (
        "local|NAME[=ADDRESS]",
        "Who does the work. local: this machine. ray, with the package eatlas-workbench: the "
        "workers of a Ray cluster. The numbers are the same.",
    ),
    "field": ("NAME", "Name of the field or column with the text. [default: text, else body]"),
    "unit": (
        "line|paragraph",
        "What one text is in a plain text file: a line, or a paragraph between blank lines.",
    ),
    "as_json": ("--json", "Print only JSON, one object a line."),
}
"""Form and help of options that several commands have, where a docstring does not say them."""

NOT_VECTORS = ("--model", "--models", "--embedding", "--embeddings", "--source", "--vector")
MEANT = {**dict.fromkeys(NOT_VECTORS, "--vectors"), "-o": "--out"}
"""Options that users try, by what a command has instead."""

Command = TypeVar("Command", bound=Callable[..., Any])


class ExplainingCommand(TyperCommand):
    """A command that says which option is meant, and how an option takes several values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments; name a mistake together with its remedy."""
        words = list(args)
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # a class of typer's own or of click, by version
            message = str(getattr(error, "message", ""))
            options = {name: option for option in self.params for name in option.opts}
            if (wrong := getattr(error, "option_name", "")) and hasattr(error, "possibilities"):
                meant = [name for name in (MEANT.get(wrong),) if name in options]
                hints = "".join(f"; use {n}" for n in meant or nearest(wrong, sorted(options)))
                error.possibilities, error.message = [], f"No such option: {wrong}{hints}"  # type: ignore[attr-defined]
            elif isinstance(missing := getattr(error, "param", None), TyperOption | TyperArgument):
                summary = (missing.help or "").partition(". ")[0].removesuffix(".")
                error.message = message or f"{summary}."  # type: ignore[attr-defined]
            elif message.startswith("Got unexpected extra argument"):
                repeatable = {n for n, option in options.items() if getattr(option, "multiple", 0)}
                if remedy := repeat_option(words, repeatable):
                    error.message = f"{message}; repeat the option: {remedy}"  # type: ignore[attr-defined]
            raise


def repeat_option(words: Sequence[str], repeatable: Collection[str]) -> str:
    """Write out an option that is followed by several values; empty if none is.

    Examples
    --------
    >>> repeat_option(["--tests", "weat-6", "weat-7", "--json"], {"--tests"})
    '--tests weat-6 --tests weat-7'
    """
    for at, word in enumerate(words):
        values = list(takewhile(lambda text: not text.startswith("-"), words[at + 1 :]))
        if word in repeatable and len(values) > 1:
            return " ".join(f"{word} {value}" for value in values)
    return ""


class Commands(typer.Typer):
    """A group of commands, each described by its docstring."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Command], Command]:
        """Add a command; `options` are passed to :meth:`typer.Typer.command`."""

        def register(function: Command) -> Command:
            text, _, section = (getdoc(function) or "").partition(_SECTION)
            entries = {entry[1]: (entry[2] or "", entry[3]) for entry in _ENTRY.finditer(section)}
            hints = get_type_hints(function)
            for parameter in signature(function).parameters.values():
                form, help_ = entries.get(parameter.name, SHARED.get(parameter.name, ("", "")))
                described = _typer_parameter(parameter, form, " ".join(help_.split()))
                function.__annotations__[parameter.name] = Annotated[
                    hints[parameter.name], described
                ]
            help_ = _BROKEN.sub(" ", text)
            whole = {"cls": ExplainingCommand, **options}
            return super(Commands, self).command(name, help=help_, **whole)(function)

        return register


def _typer_parameter(parameter: Parameter, form: str, help_: str) -> Any:
    """An argument or option of typer, from its form and help in a docstring."""
    names, metavar, least = _FORM.fullmatch(form).groups()  # type: ignore[union-attr]
    # a flag has no value; rich takes "[ray]" for a style
    metavar = metavar or ("" if isinstance(parameter.default, bool) else None)
    shared: dict[str, Any] = {"metavar": metavar, "help": _BRACKET.sub(r"\\[", help_)}
    if parameter.kind is not Parameter.KEYWORD_ONLY:
        return typer.Argument(**shared)
    own = names.replace(",", "").split() or [f"--{parameter.name.replace('_', '-')}"]
    return typer.Option(*own, **shared, min=int(least) if least else None)


def number_or_word(text: str) -> int | str:
    """What an option means that takes a number or a word, in capitals or not.

    Examples
    --------
    >>> number_or_word("9"), number_or_word("Sentence")
    (9, 'sentence')
    """
    return int(text) if text.isdecimal() else text.lower()
