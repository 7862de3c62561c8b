"""From a source string that begins with ``hf:`` to its sources."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from eatlas.care import require_trust
from eatlas.encoders.cache import keeping
from eatlas.encoders.card import CONFIG, Card, read_card
from eatlas.encoders.declared import Declared, declared
from eatlas.encoders.encoder import require_extra
from eatlas.encoders.files import files_of
from eatlas.encoders.hub import transformer_on_the_hub
from eatlas.encoders.options import EVERY, Layers, Options, parse, parse_layers
from eatlas.encoders.transformer import SharedLayers, TransformerSource
from eatlas.errors import SourceError
from eatlas.sources.spec import FileSpec, escape, parse_file_spec

SCHEME = "hf:"
NEEDED = ("torch", "transformers")
GGUF = ".gguf"


@keeping
def open_hf(text: str) -> tuple[TransformerSource, ...]:
    """Open a transformer: one source, or one for each layer with ``layer=all``.

    Parameters
    ----------
    text : str
        ``hf:`` and a folder, a GGUF file or a name on the hub, with options.

    Raises
    ------
    SourceError
        If an option cannot be, the model is not there, or what it takes is not installed.
    """
    found = find_model(text)
    spec, options, path, card = found.spec, found.options, found.path, found.card
    said = declared(path, str(spec.path))
    method = _method(options, card, said, found.where)
    several = parse_layers(options.layer, options.combine, card.top, found.where)
    for layers in several:
        _require_one_dim(layers, card, found.where)
    if options.layer != EVERY:
        return (TransformerSource(text, path, card, options, several[0], method, said),)
    shared = SharedLayers(several)
    one_layer = [(layers, replace(options, layer=str(layers))) for layers in several]
    return tuple(
        TransformerSource(_named(spec, layers), path, card, some, layers, method, said, shared)
        for layers, some in one_layer
    )


@dataclass(frozen=True)
class NamedModel:
    """A model that a source string names, and what the string asks of it."""

    spec: FileSpec
    options: Options
    path: Path
    """Folder of the model, or a GGUF file."""
    card: Card

    @property
    def where(self) -> str:
        """The model as messages name it."""
        return f"{SCHEME}{self.spec.path}"


def find_model(text: str) -> NamedModel:
    """Find the files of the model that a source string names, and check its options.

    Raises
    ------
    SourceError
        If an option cannot be, the model is not there, or what it takes is not installed.
    """
    spec = parse_file_spec(text.removeprefix(SCHEME))
    given = str(spec.path)
    if not text.removeprefix(SCHEME).partition("?")[0]:
        raise SourceError(f"{text}: no model is named", allowed="hf:NAME, hf:FOLDER, hf:FILE.gguf")
    if spec.member is not None:
        raise SourceError(
            f"{text}: a model has no members", got=f"#{spec.member}", remedy="write a # as %23"
        )
    options = parse(spec.options, f"{SCHEME}{given}")
    if options.trust:
        require_trust(f"run Python code that comes with the model {given}")
    require_extra(NEEDED, f"{text}: transformers need packages that are not installed")
    path = _find(given, options)
    card = read_card(path)
    files_of(path, weights=options.weights == "trained")
    return NamedModel(spec, options, path, card)


def _named(spec: FileSpec, layers: Layers) -> str:
    """The source string that opens one layer by itself."""
    options = {**spec.options, "layer": str(layers)}
    said = "&".join(f"{key}={escape(value)}" for key, value in options.items())
    return f"{SCHEME}{spec.path}?{said}"


def _find(given: str, options: Options) -> Path:
    """Folder of a model, or its GGUF file."""
    path = Path(given).expanduser()
    if path.is_dir():
        if (path / CONFIG).is_file():
            return path
        raise SourceError(
            f"{path}: this folder holds no transformer",
            got=", ".join(sorted(file.name for file in path.iterdir())[:10]) or "an empty folder",
            allowed=f"a folder with {CONFIG}, or a {GGUF} file",
        )
    if path.is_file():
        if path.suffix.lower() == GGUF:
            return path
        raise SourceError(
            f"{path}: this file is no transformer",
            allowed=f"a folder with {CONFIG}, or a {GGUF} file",
            remedy=f"name the folder: {SCHEME}{path.parent}"
            if (path.parent / CONFIG).is_file()
            else None,
        )
    return transformer_on_the_hub(given, options)


def _method(options: Options, card: Card, said: Declared, where: str) -> str:
    """How tokens become one vector, by the options, the model's own files or its family."""
    sentence = options.level == "sentence"
    chosen = options.pool if sentence else options.subword
    if chosen is not None:
        return chosen
    if sentence and said.theirs:
        raise SourceError(
            f"{where}: the model has a pooling of its own that hf: does not do",
            got=said.theirs,
            allowed=f"st:{where.removeprefix(SCHEME)}, which pools as the model says; or a pooling "
            "of your choice: ?pool=mean, ?pool=cls",
            remedy="?pool=... leaves out what the model does after its transformer",
        )
    if sentence and said.pool is not None:
        return said.pool
    if card.family is None:
        key = "pool" if sentence else "subword"
        raise SourceError(
            f"{where}: the kind of this model is not known, and so no default for {key}",
            got=f"model type {card.model_type!r}",
            remedy=f"say it: {key}=mean, for example",
        )
    return card.family.pool if sentence else card.family.subword


def _require_one_dim(layers: Layers, card: Card, where: str) -> None:
    dims = {card.dim_of(number) for number in layers.numbers}
    if len(dims) > 1:
        raise SourceError(
            f"{where}: these layers cannot be combined, for their vectors differ in length",
            got=f"layers {layers}: {' and '.join(map(str, sorted(dims)))} components",
            remedy="leave out the top layer",
        )
