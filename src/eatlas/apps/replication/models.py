"""Models of a replication: the paper's that are at hand, and others under their own names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import eatlas
from eatlas.apps.replication.recipe import (
    Family,
    PaperModel,
    PaperTable,
    Procedure,
    Recipe,
    Vectors,
)
from eatlas.errors import EatlasError, SourceError
from eatlas.sources import (
    CBOWSource,
    innermost,
    model_and_tokenizer,
    open_sources,
    open_vectors,
    options_of,
    period_of,
    with_options,
)

FAMILIES: dict[Family, str] = {
    "static": "vectors of words",
    "masked": "a masked language model, such as BERT",
    "causal": "a causal language model, such as GPT-2",
    "encoder-decoder": "an encoder-decoder, such as T5",
    "texts": "another encoder of texts",
    "image-text": "a model of texts and images in one space, such as CLIP",
}
"""What a message calls them."""
OF_CARDS: dict[str, Family] = {
    "encoder": "masked",
    "causal": "causal",
    "encoder-decoder": "encoder-decoder",
    "": "texts",
}
"""By the family on the card of a transformer."""
BY_DECADE = "vectors by decade"
NEEDED = {
    "cls": ("a tokenizer that adds [CLS]", "a model whose tokenizer adds none"),
    "decades": (f"{BY_DECADE}: a folder with a file for each", "vectors without a year"),
}
"""What a procedure needs of a model besides its family, and what a model has that lacks it."""


@dataclass(frozen=True)
class MeasuredModel:
    """A model of a replication, what is opened for it, and what became of it."""

    id: str
    """The paper's, or the name that the user gives."""
    title: str
    family: Family
    own: bool = False
    """Whether the paper does not have it."""
    spec: Any = None
    """What is opened; None where nothing is at hand."""
    note: str = ""
    missing: tuple[str, ...] = ()
    """Why it was not measured, or not in every table; or how to get it."""

    @property
    def source(self) -> str:
        """Source string, or the name under which the model is measured; empty without one."""
        if self.spec is None:
            return ""
        return str(self.spec) if isinstance(self.spec, str) and not self.own else self.id

    def with_missing(self, *reasons: str) -> MeasuredModel:
        """The same with more that is missing."""
        return replace(self, missing=tuple(dict.fromkeys((*self.missing, *reasons))))


def models_of(
    recipe: Recipe, given: Mapping[str, Any], printed: Collection[str]
) -> tuple[MeasuredModel, ...]:
    """The paper's models of which numbers are printed here, then others."""
    papers = {model.id: model for model in recipe.model}
    models = [
        _given(model, given[model.id], recipe) if model.id in given else _at_hand(model)
        for model in recipe.model
        if model.id in given or model.id in printed
    ]
    for name, spec in given.items():
        if name not in papers:
            spec = str(spec) if isinstance(spec, Path) else spec  # noqa: PLW2901
            models.append(MeasuredModel(name, name, family_of(spec), own=True, spec=spec))
    return tuple(models)


def _given(model: PaperModel, spec: Any, recipe: Recipe) -> MeasuredModel:
    """A model of the paper as the user has it."""
    spec = str(spec) if isinstance(spec, Path) else spec
    family = family_of(spec)
    if family != model.family:
        raise EatlasError(
            f"{recipe.title}: {model.id} is {FAMILIES[model.family]} ({model.title})",
            got=FAMILIES[family],
            allowed=FAMILIES[model.family],
            remedy="a model of another kind is measured under a name of its own: NAME=SOURCE, with "
            "a NAME that the paper does not have",
        )
    return MeasuredModel(model.id, model.title, family, spec=spec, note=model.note)


def _at_hand(model: PaperModel) -> MeasuredModel:
    """A model of the paper from what was fetched, or comes with eatlas."""
    made = MeasuredModel(model.id, model.title, model.family, note=model.note)
    get = f"--model {model.id}={model.get or 'FILE'}" if model.get or model.published else ""
    if model.published:
        try:
            open_sources(model.published)
        except SourceError as error:
            get = f"{error.remedy}, or {get}"
        else:
            return replace(made, spec=model.published)
    if model.bundled:
        return replace(made, spec=model.bundled)
    return made.with_missing("; ".join(filter(None, (model.not_run, get))))


def family_of(spec: Any) -> Family:
    """Tell what kind of model a source is of, by its files and not by its name."""
    source = innermost(open_sources(spec)[0])
    card = getattr(source, "card", None)
    if card is not None and card.takes == "texts":
        return OF_CARDS[card.family]
    if {"text", "image"} <= source.kinds and source.encodes:
        return "image-text"
    if "text" not in source.kinds:
        raise EatlasError(
            f"{source.name}: this model takes images alone",
            allowed="; ".join(FAMILIES.values()),
            remedy="clip:FOLDER takes models of texts and images",
        )
    return "texts" if source.encodes else "static"


# --- what a procedure takes of a model ------------------------------------------------------------


def require_taken(model: MeasuredModel, procedure: Procedure, table: PaperTable) -> None:
    """Refuse a model of which a procedure cannot take what the paper took.

    Raises
    ------
    EatlasError
        Saying what the recipe takes, of which models, and where that is said.
    """
    taken = procedure.vectors.get(model.family)
    if taken is None:
        raise _refused(procedure, table, f"{model.id} is {FAMILIES[model.family]}")
    if taken.needs != "decades" and _has_periods(model):
        raise _refused(procedure, table, f"{model.id}: {BY_DECADE}", "vectors of one time")
    if taken.needs and not _has(model, taken):
        needed, lacking = NEEDED[taken.needs]
        raise _refused(procedure, table, f"{model.id}: {lacking}", needed)


def _refused(procedure: Procedure, table: PaperTable, got: str, needed: str = "") -> EatlasError:
    """The recipe's own sentence on what it takes."""
    readings = [choice.reading("code") for choice in procedure.choices]
    says = [f"{one.says} ({one.where})" for one in readings if one.vectors]
    allowed = needed or "; ".join(FAMILIES[f] for f in get_args(Family) if f in procedure.vectors)
    return EatlasError(
        f"{table.title} takes {procedure.title}: {'; '.join(says)}",
        got=got,
        allowed=allowed,
        remedy="another table with --table, or another model; eatlas run measures any model "
        "your own way",
    )


def _has(model: MeasuredModel, taken: Vectors) -> bool:
    """Whether a model has what a procedure needs besides its family."""
    if taken.needs == "decades":
        return _has_periods(model)
    source = innermost(open_sources(encoded(model, taken))[0])
    return bool(getattr(source, "adds_cls", False))


def _has_periods(model: MeasuredModel) -> bool:
    """Whether vectors are by decade."""
    return any(period_of(source) is not None for source in open_sources(model.spec))


def encoded(model: MeasuredModel, taken: Vectors) -> Any:
    """What is opened of a model, with the scheme and the options of a procedure.

    Raises
    ------
    EatlasError
        If the user's own source sets an option that the procedure sets otherwise.
    """
    spec = model.spec
    if isinstance(spec, str):
        return _with_options(spec, taken)
    if taken.scheme:
        return CBOWSource(open_vectors(spec), punctuation="punctuation" in taken.options)
    if taken.options and (pair := model_and_tokenizer(spec)) is not None:
        return eatlas.encoder(*pair, name=model.id, **taken.options)
    if taken.options:
        raise EatlasError(
            f"{model.id}: what a recipe takes of a model cannot be taken of this object",
            got=type(spec).__name__,
            allowed="a source string such as hf:FOLDER, or (model, tokenizer)",
        )
    return spec


def _with_options(text: str, taken: Vectors) -> str:
    """A source string with the scheme and the options of a procedure."""
    own = options_of(text)
    for key, value in taken.options.items():
        if own.get(key, value) != value:
            raise EatlasError(
                f"{text}: the recipe takes {key}={value}",
                got=f"{key}={own[key]}",
                remedy=f"leave {key} out; eatlas run measures the model your own way",
            )
    missing = {key: value for key, value in taken.options.items() if key not in own}
    return with_options(f"{taken.scheme}{text.removeprefix(taken.scheme)}", missing)
