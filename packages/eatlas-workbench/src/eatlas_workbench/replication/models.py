"""Models of a replication: the paper's that are at hand, and others under their own names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import eatlas
from eatlas.errors import EatlasError, SourceError
from eatlas.results import Results, read_results
from eatlas.sources import (
    CBOWSource,
    Counts,
    CountTable,
    innermost,
    model_and_tokenizer,
    open_counts,
    open_sources,
    open_vectors,
    options_of,
    period_of,
    with_options,
)
from eatlas_workbench.replication.cells import Cell
from eatlas_workbench.replication.recipe import (
    Family,
    PaperModel,
    PaperTable,
    Procedure,
    Recipe,
    Vectors,
)

FAMILIES: dict[Family, str] = {
    "static": "vectors of words",
    "masked": "a masked language model, such as BERT",
    "causal": "a causal language model, such as GPT-2",
    "encoder-decoder": "an encoder-decoder, such as T5",
    "texts": "another encoder of texts",
    "image-text": "a model of texts and images in one space, such as CLIP",
    "counts": "a table of numbers by term and group",
}
"""What a message calls them."""
OF_CARDS: dict[str, Family] = {
    "encoder": "masked",
    "causal": "causal",
    "encoder-decoder": "encoder-decoder",
    "": "texts",
}
"""By the family on the card of a transformer."""
OF_TABLES, OF_RESULTS = {".csv", ".tsv"}, {".jsonl", ".json"}
"""How the names of tables of counts end, and of files of results."""
BY_DECADE = "vectors by decade"
NEEDED = {
    "cls": ("a tokenizer that adds [CLS]", "a model whose tokenizer adds none"),
    "decades": (f"{BY_DECADE}: a folder with a file for each", "vectors without a year"),
    "mask": (
        "a masked language model with the head that fills masks",
        "a model without it, or a tokenizer without a mask",
    ),
    "word": ("a source that gives a stimulus in its text a vector", "vectors of whole texts"),
}
"""What a procedure needs of a model besides its family, and what a model has that lacks it."""
OF_SOURCES = {"cls": "adds_cls", "mask": "fills_masks"}
"""What says so of a transformer."""


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
    stage: str = ""
    """Which it is of the stages that a table compares; the end of `id`, after a dot."""

    @property
    def stem(self) -> str:
        """The name that all stages share; of other models that of the model."""
        return self.id.removesuffix(f".{self.stage}") if self.stage else self.id

    def answers(self, cell: Cell) -> bool:
        """Whether a cell asks for this model, alone or with other stages."""
        asked = cell.question.stages
        return cell.model == self.stem and (self.stage in asked if self.stage else not asked)

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
    recipe: Recipe, given: Mapping[str, Any], printed: frozenset[str]
) -> tuple[MeasuredModel, ...]:
    """The paper's models of which numbers are printed here, then others."""
    papers = {model.id: model for model in recipe.model}
    models = [
        _user_model(model, given[model.id], recipe) if model.id in given else _at_hand(model)
        for model in recipe.model
        if model.id in given or printed & {model.id, recipe.stem(model.id)}
    ]
    for name, spec in given.items():
        if name not in papers:
            spec = _open_spec(spec)  # noqa: PLW2901
            models.append(MeasuredModel(name, name, family_of(spec), own=True, spec=spec))
    return tuple(replace(model, stage=recipe.stage(model.id)) for model in models)


def _user_model(model: PaperModel, spec: Any, recipe: Recipe) -> MeasuredModel:
    """A model of the paper as the user has it."""
    spec = _open_spec(spec)
    family = family_of(spec)
    if family != model.family:
        raise EatlasError(
            f"{recipe.title}: {model.id} is {FAMILIES[model.family]} ({model.title})",
            got=FAMILIES[family],
            allowed=FAMILIES[model.family],
            remedy="for a model of another kind, use NAME=SOURCE with a NAME that is not in the "
            "paper",
        )
    return MeasuredModel(model.id, model.title, family, spec=spec, note=model.note)


def _at_hand(model: PaperModel) -> MeasuredModel:
    """A model of the paper from what was fetched, or comes with eatlas."""
    made = MeasuredModel(model.id, model.title, model.family, note=model.note)
    get = f"--model {model.id}={model.get or 'FILE'}" if model.get or model.published else ""
    if model.published:
        try:
            (open_counts if model.family == "counts" else open_sources)(model.published)
        except SourceError as error:
            get = f"{error.remedy}, or {get}"
        else:
            return replace(made, spec=model.published)
    if model.bundled:
        return replace(made, spec=model.bundled)
    return made.with_missing("; ".join(filter(None, (model.not_run, get))))


def _open_spec(spec: Any) -> Any:
    """What the user gives: a path as text, results of counts as a table of these."""
    spec = str(spec) if isinstance(spec, Path) else spec
    if isinstance(spec, str) and Path(spec).suffix in OF_RESULTS:
        return counts_in(read_results(spec), spec)
    return spec


def counts_in(results: Results, name: str) -> CountTable:
    """The contexts of each target by group that results count, such as the ones from a probe.

    Raises
    ------
    EatlasError
        If not one result counts contexts.
    """
    counted = [r for r in results if any(one.contexts is not None for one in r.by_target or ())]
    if len(counted) != 1:
        raise EatlasError(
            f"{name}: {len(counted)} results count contexts of targets by group",
            allowed="a file with one result of divdist(soa=probe) or divdist(soa=counts)",
            remedy="save that result in a separate file: eatlas.Results([result]).save(FILE)",
        )
    (result,) = counted
    groups: Any = getattr(result, "groups", ())
    rows = {
        one.term: {g: n or 0.0 for g, n in zip(groups, one.association, strict=True)}
        for one in result.by_target or ()
    }
    return CountTable(name, rows)


def _is_table(spec: Any) -> bool:
    """Whether a source is a table of numbers by term and group, and not of vectors."""
    if isinstance(spec, Mapping):
        return any(isinstance(row, Mapping) for row in spec.values())
    if isinstance(spec, str):
        return Path(spec.partition("?")[0]).suffix in OF_TABLES
    return isinstance(spec, Counts)


def family_of(spec: Any) -> Family:
    """Tell what kind of model a source is of, by its files and not by its name."""
    if _is_table(spec):
        open_counts(spec)
        return "counts"
    source = innermost(open_sources(spec)[0])
    card = getattr(source, "card", None)
    if card is not None and card.takes == "texts":
        return OF_CARDS[card.family]
    if {"text", "image"} <= source.kinds and source.encodes:
        return "image-text"
    if "text" not in source.kinds:
        raise EatlasError(
            f"{source.name}: this model only encodes images",
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
        raise _requirement_error(procedure, table, f"{model.id} is {FAMILIES[model.family]}")
    if taken.needs != "decades" and _has_periods(model):
        raise _requirement_error(
            procedure, table, f"{model.id}: {BY_DECADE}", "vectors of one time"
        )
    if taken.needs and not _has(model, taken):
        needed, lacking = NEEDED[taken.needs]
        raise _requirement_error(procedure, table, f"{model.id}: {lacking}", needed)


def _requirement_error(
    procedure: Procedure, table: PaperTable, got: str, needed: str = ""
) -> EatlasError:
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
    spec = open_encoder(model, taken)
    if taken.needs == "mask" and (pair := model_and_tokenizer(spec)) is not None:
        return _fills_masks(*pair)
    source = innermost(open_sources(spec)[0])
    if taken.needs == "word":
        return source.encoding is not None and source.encoding.level == "word"
    return bool(getattr(source, OF_SOURCES[taken.needs], False))


def _fills_masks(model: Any, tokenizer: Any) -> bool:
    """Whether a model in memory fills masks."""
    try:
        kind = eatlas.language_model(model, tokenizer, name="").kind
    except SourceError:
        return False
    return kind == "masked" and tokenizer.mask_token_id is not None


def _has_periods(model: MeasuredModel) -> bool:
    """Whether vectors are by decade."""
    if model.family == "counts":
        return False
    return any(period_of(source) is not None for source in open_sources(model.spec))


def open_encoder(model: MeasuredModel, taken: Vectors) -> Any:
    """What is opened of a model, with the scheme and the options of a procedure.

    Raises
    ------
    EatlasError
        If the user's own source sets an option that the procedure sets otherwise.
    """
    spec = model.spec
    if isinstance(spec, str):
        return _with_options(spec, taken)
    if "transform" in taken.options:
        return eatlas.transformed(spec, taken.options["transform"])
    if taken.scheme:
        return CBOWSource(open_vectors(spec), punctuation="punctuation" in taken.options)
    if taken.options and (pair := model_and_tokenizer(spec)) is not None:
        return eatlas.encoder(*pair, name=model.id, **taken.options)
    if taken.options:
        raise EatlasError(
            f"{model.id}: a recipe cannot use this object as a model",
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
