"""The templates of the page, of tables and of notebooks, and what they may call."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from eatlas import numbers, texts
from eatlas.errors import join_names, listing
from eatlas.notes import Note
from eatlas.present import effects
from eatlas.present.drawings.eat_map import PATTERNS, mini, mini_of
from eatlas.present.text import clean, isolate, readable
from eatlas.results.levels import draws_of
from eatlas.results.parts import at
from eatlas.results.settings import source_name

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from jinja2 import Environment
    from jinja2.bccache import Bucket

    from eatlas.results import AssociationResult

TEMPLATES = Path(__file__).parent / "templates"
FEW, NAMED = 6, 12
"""Names that a finding lists, and a methods paragraph."""
SHORT = 24
"""Characters of a measure's name that are kept on one line."""
_NUMBERS = re.compile(r"(\bd|\bp|error) ([=<>≤]) ")
_LINES = re.compile(r"^ *(//.*\n)?", re.MULTILINE)
_SPACES = re.compile(r"(?<=[;{}]) +|\n|(?<=[,:]) | (?=[{}])")
"""Of scripts indentation and comments, of styles blanks, which no browser needs."""
_PATTERN_NAMES = re.compile(rf"\b({'|'.join(PATTERNS)})\b")


def render(template: str, **values: object) -> str:
    """Fill in a template; texts that a result brought along are cleaned and escaped."""
    return _environment().get_template(f"{template}.html.j2").render(**values)


def text(template: str, **values: object) -> str:
    """Fill in a template of plain text."""
    return _environment().get_template(f"{template}.j2").render(**values)


def lines(template: str, **values: object) -> list[str]:
    """Fill in a template of plain text, which has one sentence a line."""
    return [line for line in text(f"{template}.txt", **values).split("\n") if line]


def phrase(template: str, macro: str, *facts: object) -> str:
    """What a macro of a template of plain text says, on one line."""
    macros = _environment().get_template(f"{template}.txt.j2").module
    return " ".join(getattr(macros, macro)(*facts).split())


def file_text(name: str) -> str:
    """A style or script of a page, of the core or of another package."""
    own: Traversable = TEMPLATES / name
    if not own.is_file() and (found := texts.template(name)):
        own, _ = found
    return own.read_text(encoding="utf-8")


def own_words(result: AssociationResult, macro: str, *facts: object) -> str:
    """What a macro of the template that a record names says; nothing where there is none."""
    if not result.words:
        return ""
    macros = _environment().get_template(f"{result.words}.txt.j2").module
    say = getattr(macros, macro, None)
    return " ".join(say(result, *facts).split()) if say else ""


def little_among(results: Iterable[AssociationResult]) -> list[str]:
    """Why results show little that do so for a reason beside their numbers."""
    return [own_words(result, "little_of_several") for result in results if result.shows_little]


def association_of(results: Sequence[AssociationResult]) -> str:
    """What associates in results of one measure, in its own words; empty where it has none."""
    words = results[0].words
    macros = _environment().get_template(f"{words}.txt.j2").module if words else None
    say = getattr(macros, "association", None)
    return " ".join(say(results).split()) if say else ""


@cache
def page_files(*names: str) -> Mapping[str, object]:
    """Styles and scripts of a page, and the hash by which its policy lets the script run."""
    always = ("drawings.css", "report.css", "dark.css", "theme.js")
    written = {name: file_text(name) for name in (*always, *names)}
    dark = _SPACES.sub("", written.pop("dark.css"))
    css = "".join(_SPACES.sub("", text) for name, text in written.items() if name.endswith(".css"))
    script = _LINES.sub("", "".join(text for name, text in written.items() if name.endswith(".js")))
    digest = b64encode(sha256(script.encode()).digest()).decode()
    ours = {"css": css, "dark": dark, "script": script}
    safe = {name: Markup(text) for name, text in ours.items()}  # noqa: S704  (our own files)
    # every page of a process shares it, so nobody may write into it
    return MappingProxyType(safe | {"script_hash": f"sha256-{digest}"})


def page_style(name: str) -> str:
    """The style of a page that is served: the report's, its own, and dark where the reader's is."""
    drawings, report, own, dark = map(file_text, ("drawings.css", "report.css", name, "dark.css"))
    of_dark = f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}"
    return "\n".join((drawings, report, own, of_dark))


@cache
def _environment() -> Environment:
    """The environment of all templates: strict, escapes HTML, compiled once for each user.

    Compiled templates, which take 0.2 s, are in the user's cache folder, as far as it has room.
    """
    from jinja2 import (  # noqa: PLC0415  (40 ms)
        ChoiceLoader,
        Environment,
        FileSystemBytecodeCache,
        FileSystemLoader,
        FunctionLoader,
        StrictUndefined,
        select_autoescape,
    )
    from platformdirs import user_cache_path  # noqa: PLC0415

    class Compiled(FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            with suppress(OSError):  # a full disk
                super().dump_bytecode(bucket)

    folder = user_cache_path("eatlas", appauthor=False) / "templates"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    env = Environment(
        loader=ChoiceLoader([FileSystemLoader(TEMPLATES), FunctionLoader(_template_of_others)]),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
        bytecode_cache=Compiled(str(folder)) if os.access(folder, os.W_OK) else None,
        auto_reload=False,
        extensions=["jinja2.ext.do"],
    )
    FILTERS.update({name: own for name, own in env.filters.items() if name not in FILTERS})
    env.filters = FILTERS  # to which chapters above add theirs
    return env


def _template_of_others(name: str) -> str | None:
    """A template of another package, whose functions it may call from then on."""
    if (found := texts.template(name)) is None:
        return None
    file, package = found
    for filter_name, function in texts.filters(package).items():
        FILTERS.setdefault(filter_name, function)
    return file.read_text(encoding="utf-8")


def _unbroken(text: str) -> Markup:
    """Keep each "d = 1.17" and each pattern's name on one line, and write 4.5e-6 as a power."""
    joined = _NUMBERS.sub("\\1\N{NO-BREAK SPACE}\\2\N{NO-BREAK SPACE}", clean(text))
    marked = _PATTERN_NAMES.sub(r'<span class="nb">\1</span>', str(escape(joined)))
    marked = numbers.in_powers(marked, r'<span class="nb">\1 × 10<sup>−\2</sup></span>')
    return Markup(marked)  # noqa: S704  (escaped above)


def _signature(text: str) -> Markup:
    """A signature that may be broken after each of its parameters."""
    name, bracket, parameters = str(escape(clean(text))).partition("(")
    whole = f'<span class="nb">{name}(</span>' if bracket and len(name) < SHORT else name + bracket
    return Markup(whole + parameters.replace(",", ",<wbr>"))  # noqa: S704  (escaped above)


def _safe(value: object) -> object:
    """Clean a text that a result brought along; markup of ours is clean already."""
    value = str(value) if isinstance(value, Note) else value
    return clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


FILTERS: dict[str, Callable[..., object]] = {
    function.__name__: function
    for function in (
        numbers.all_of, numbers.brief_p, numbers.count, numbers.effect, numbers.is_plural,
        numbers.interval, numbers.level_of, numbers.number_of, numbers.odds, numbers.p_equals,
        numbers.percent, numbers.plural, numbers.spell_out, readable, source_name,
        effects.concerns_single_terms, effects.chance_line,
        effects.at_equal, effects.covariates_of,
        effects.covariates_in_words, effects.facets_of, effects.interval_in_words,
        effects.levels_of, effects.p_heads,
        effects.effect_in_papers, effects.names_of,
        effects.runner_up, effects.short_name, effects.strongest_term,
        effects.title_after, effects.unit_of, effects.without_adjustment, isolate, mini, mini_of,
    )
} | {
    "at": at,
    "by_place": lambda found: {effect.place: effect for effect in found},
    "little_among": little_among,
    "own_words": own_words,
    "explained": numbers.explain_p,
    "frequent": lambda labels: Counter(labels).most_common(),
    "joined": join_names,
    "listed": lambda names: join_names(names) if len(names) <= NAMED else listing(names, NAMED),
    "lower_first": lambda text: text[:1].lower() + text[1:],
    "upper_first": lambda text: text[:1].upper() + text[1:],
    "draws_of": draws_of,
    "named": lambda names, most=FEW: listing(dict.fromkeys(names), most),
    "p": numbers.p_value,
    "signature": _signature,
    "unbroken": _unbroken,
}  # fmt: skip
"""What templates call: functions by their names, and some by shorter ones."""
