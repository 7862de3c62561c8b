"""From a source string to the files of the model that it names, and what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from eatlas.encoders.encoder import require_extra
from eatlas.encoders.images.kinds import Takes, takes_of, towers_card, vision_card
from eatlas.encoders.model_config import CONFIG, ModelConfig, read_card
from eatlas.encoders.model_files import files_of, transformer_on_the_hub
from eatlas.encoders.options import EVERY, OPTIONS, Layers, Options, parse
from eatlas.errors import SourceError
from eatlas.paths import is_file, is_folder
from eatlas.sources.spec import FileSpec, check_options, escape, parse_file_spec
from eatlas.untrusted import require_trust

SCHEME = "hf:"
CLIP = "clip:"
NEEDED = ("torch", "transformers")
PILLOW = "PIL"
GGUF = ".gguf"
_FORMS = {SCHEME: "hf:NAME, hf:FOLDER, hf:FILE.gguf", CLIP: "clip:NAME, clip:FOLDER"}
_FILES = {SCHEME: f"a folder with {CONFIG}, or a {GGUF} file", CLIP: f"a folder with {CONFIG}"}
_OTHERS: dict[Takes, tuple[str, str]] = {
    "texts": ("takes texts alone", "{hf} takes models of texts, and of images"),
    "images": ("takes images alone", "{hf} takes models of texts, and of images"),
    "both": ("takes texts and images, in one space", "name it {clip}"),
}


@dataclass(frozen=True)
class NamedModel:
    """A model that a source string names, with its options."""

    text: str
    """The source string."""
    scheme: str
    spec: FileSpec
    options: Options
    path: Path
    """Folder of the model, or a GGUF file."""
    card: ModelConfig
    takes: Takes

    @property
    def where(self) -> str:
        """The model as messages name it."""
        return f"{self.scheme}{self.spec.path}"

    def by_layer(self, several: tuple[Layers, ...]) -> Iterator[tuple[Layers, NamedModel]]:
        """Yield the model as it is named for one choice of layers by itself."""
        for layers in several:
            if self.options.layer != EVERY:
                yield layers, self
                continue
            options = {**self.spec.options, "layer": str(layers)}
            said = "&".join(f"{key}={escape(value)}" for key, value in options.items())
            alone = replace(self.options, layer=str(layers))
            yield layers, replace(self, text=f"{self.where}?{said}", options=alone)


def find_model(
    text: str,
    scheme: str = SCHEME,
    allowed: Mapping[str, str] = OPTIONS,
    takes: tuple[Takes, ...] = ("texts",),
) -> NamedModel:
    """Find the files of the model that a source string names, and check its options."""
    spec = parse_file_spec(text.removeprefix(scheme))
    given = str(spec.path)
    where = f"{scheme}{given}"
    if not text.removeprefix(scheme).partition("?")[0]:
        raise SourceError(f"{text}: no model is named", allowed=_FORMS[scheme])
    if spec.member is not None:
        raise SourceError(
            f"{text}: a model has no members", got=f"#{spec.member}", remedy="write a # as %23"
        )
    check_options(spec.options, allowed, where)
    options = parse(spec.options, where)
    if options.trust:
        require_trust(f"run Python code that comes with the model {given}")
    require_extra(NEEDED, f"{text}: transformers need packages that are not installed")
    path = _find(given, options, scheme)
    found = takes_of(path)
    if found not in takes:
        said, remedy = _OTHERS[found]
        raise SourceError(
            f"{where}: this model {said}",
            got=f"model type {_type(path)}",
            remedy=remedy.format(hf=f"{SCHEME}{given}", clip=f"{CLIP}{given}"),
        )
    if found != "texts":
        needs = "images need a package that is not installed"
        require_extra((PILLOW,), f"{text}: {needs}", extra="clip")
    card = _card(path, found)
    files_of(path, weights=options.weights == "trained")
    return NamedModel(text, scheme, spec, options, path, card, found)


def _card(path: Path, takes: Takes) -> ModelConfig:
    if takes == "both":
        return towers_card(path)
    return vision_card(path)[0] if takes == "images" else read_card(path)


def _type(path: Path) -> str:
    return _card(path, takes_of(path)).model_type


def _find(given: str, options: Options, scheme: str) -> Path:
    """Folder of a model, or its GGUF file."""
    path = Path(given).expanduser()
    if is_folder(path):
        if (path / CONFIG).is_file():
            return path
        raise SourceError(
            f"{path}: this folder holds no transformer",
            got=", ".join(sorted(file.name for file in path.iterdir())[:10]) or "an empty folder",
            allowed=_FILES[scheme],
        )
    if is_file(path):
        if path.suffix.lower() == GGUF and scheme == SCHEME:
            return path
        raise SourceError(
            f"{path}: this file is not a transformer",
            allowed=_FILES[scheme],
            remedy=f"name the folder: {scheme}{path.parent}"
            if (path.parent / CONFIG).is_file()
            else None,
        )
    return transformer_on_the_hub(given, options, scheme)
