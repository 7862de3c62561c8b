"""``clip:`` with a model of open_clip: a folder with its configuration, or a name and a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.encoder import Encoder, as_rows, roundoff_of
from eatlas.encoders.images.batches import AT_ONCE, Images, answers_of
from eatlas.encoders.images.settings import Pixels, require_numbers
from eatlas.encoders.loading import Array, first_line, quiet, repeat_products
from eatlas.encoders.model_config import read_config
from eatlas.encoders.model_files import sha256_of
from eatlas.encoders.options import OPTIONS as OF_MODELS
from eatlas.encoders.options import Options, parse
from eatlas.encoders.tokens import shown
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding, ImageEncoding
from eatlas.sources.interface import Answers, Item, Kind, Read
from eatlas.sources.spec import FileSpec, check_options
from eatlas.untrusted import require_trust

CONFIG = "open_clip_config.json"
ALGORITHM = "open_clip 1"
"""Part of every fingerprint; another number where the same options give other vectors."""
PRETRAINED = "pretrained"
OPTIONS = {
    PRETRAINED: "file of the weights of an architecture that open_clip knows by name",
    **{name: OF_MODELS[name] for name in ("weights", "seed", "precision", "device")},
}
SUFFIXES = (".safetensors", ".bin", ".pth", ".pt")
PRECISIONS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}
TEXTS = 64
"""Texts of a batch."""
LONGER = 4
"""So many times the longest text is tokenised, to see whether one goes on."""


@dataclass(frozen=True)
class OpenClipModel:
    """Where a model of open_clip lies, and what is said of it."""

    name: str
    """As open_clip names it: an architecture, or local-dir: and a folder."""
    config: Mapping[str, Any]
    """Of the architecture, with ``embed_dim``."""
    images: Mapping[str, Any]
    """What is done with an image, as open_clip says it."""
    files: tuple[Path, ...]
    """All that decides the vectors but the options; the weights last."""
    pretrained: str | None = None


class OpenClipSource(Encoder):
    """Vectors of texts and images in the shared space of a model of open_clip.

    They are those of ``encode_text`` and ``encode_image``, not scaled to length 1. Nothing heavy is
    imported and no weights are read before they are needed.
    """

    shares = True

    def __init__(self, name: str, model: OpenClipModel, options: Options) -> None:
        super().__init__(name)
        self.model, self.options = model, options
        size = model.images.get("size", 224)
        shortest = {"shortest_edge": size} if isinstance(size, int) else {}
        self._images = Images(name, {"size": shortest})

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return int(self.model.config["embed_dim"])

    @property
    def kinds(self) -> frozenset[Kind]:
        """Texts and images."""
        return frozenset(("text", "image"))

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files and of the architecture, and options that decide numbers."""
        config = json.dumps([self.model.config, self.model.images], sort_keys=True)
        said = f"{ALGORITHM};{config};{self.options.seed};{self.options.precision}"
        digest = hashlib.sha256(said.encode())
        for file in self.model.files:
            digest.update(f"{file.name} {sha256_of(file)}\n".encode())
        if self.options.seed is not None:
            digest.update(f"torch {version('torch')} {version('open_clip_torch')}".encode())
        return f"sha256:{digest.hexdigest()}"

    @cached_property
    def encoding(self) -> Encoding:
        """How texts and images become vectors. The scale of the logits is read with the model."""
        about, size = self.model.images, self.model.images.get("size", 224)
        squared = size if isinstance(size, int) else " x ".join(map(str, size))
        module = self._loaded[0]
        bias = getattr(module, "logit_bias", None)
        return Encoding(
            model=self.name.removeprefix("clip:").partition("?")[0],
            architecture=f"open_clip {type(module).__name__}",
            level="sentence",
            pool="projected",
            weights=self.options.weights,
            weights_seed=self.options.seed,
            precision=self.options.precision,
            roundoff=roundoff_of(self.options.precision),
            projection=self.dim,
            logit_scale=float(module.logit_scale.exp()),
            logit_bias=None if bias is None else float(bias),
            images=ImageEncoding(
                processor="open_clip",
                size=f"{about.get('resize_mode', 'shortest')} edge {squared}",
                crop=f"{squared} x {squared}" if isinstance(size, int) else squared,
                resample=str(about.get("interpolation", "bicubic")),
                mean=tuple(about.get("mean", ())),
                std=tuple(about.get("std", ())),
            ),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know about the vectors, so far."""
        return (*self.options.notes, *self._images.notes)

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors batch by batch: of texts first."""
        texts = [one for one in items if one.kind == "text"]
        tokens = self._tokens(texts)
        yield from self.in_calls(texts, lambda one: tokens[one.content], TEXTS, self._of_texts)
        module, preprocess, _ = self._loaded

        def prepare(image: Any) -> Pixels:
            return {"image": preprocess(image)[None].numpy()}

        device = next(module.parameters()).device.type
        images = [one for one in items if one.kind == "image"]
        for several, remarks, inputs in self._images.batches(images, AT_ONCE[device], prepare):
            rows = self._features(module.encode_image, inputs["image"])
            answers = answers_of(rows, several, remarks, self.name, self.options.precision)
            self._images.note(answers)
            yield answers

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:
        """Return the tokens behind the vector of each text: texts of the same share it."""
        texts = [one for one in items if one.kind == "text"]
        tokens = self._tokens(texts)
        return {one: Read(repr(tokens[one.content])) for one in texts}

    def recall(self, answers: Answers) -> None:
        """Take note of what there was to say of images in an earlier run."""
        self._images.note(answers)

    def _of_texts(self, tokens: list[tuple[int, ...]], texts: list[str]) -> NDArray[np.floating]:
        rows = self._features(self._loaded[0].encode_text, np.array(tokens, np.int64))
        return as_rows(rows, texts, self.name)

    def _features(self, tower: Any, inputs: NDArray[Any]) -> Array:
        """Compute a batch in one tower."""
        import torch  # noqa: PLC0415
        from open_clip import get_input_dtype  # noqa: PLC0415

        module = self._loaded[0]
        made = torch.from_numpy(inputs).to(next(module.parameters()).device)
        if made.is_floating_point():
            made = made.to(get_input_dtype(PRECISIONS[self.options.precision]))
        with torch.inference_mode():
            rows: Array = tower(made).float().cpu().numpy()
        return rows

    def _tokens(self, items: Collection[Item]) -> dict[str, tuple[int, ...]]:
        """Tokens of each text, padded as the model has them; one that would be cut is refused."""
        texts = sorted({one.content for one in items})
        if not texts:
            return {}
        tokenizer = self._loaded[2]
        limit = tokenizer.context_length
        with quiet():
            found = tokenizer(texts).tolist()
            longer = tokenizer(texts, context_length=LONGER * limit).tolist()
        for text, ids in zip(texts, longer, strict=True):
            if len(set(ids[limit:])) > 1:  # else it is padding
                raise SourceError(
                    f"{self.name}: a text is longer than the model takes: {shown(text)}",
                    allowed=f"up to {limit:,} tokens, special ones included",
                    remedy="shorten it",
                )
        return {text: tuple(ids) for text, ids in zip(texts, found, strict=True)}

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any]:
        """The model, what prepares an image for it, and its tokenizer."""
        import open_clip  # noqa: PLC0415  (many seconds)
        import torch  # noqa: PLC0415

        repeat_products()
        device = self.options.device
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        trained = self.options.seed is None
        try:
            with quiet(), torch.random.fork_rng(devices=[]):
                torch.manual_seed(self.options.seed or 0)
                module, _, preprocess = open_clip.create_model_and_transforms(
                    self.model.name,
                    pretrained=self.model.pretrained if trained else None,
                    load_weights=trained,
                    precision=PRECISIONS[self.options.precision],
                    device=device,
                    pretrained_text=False,
                )
                tokenizer = open_clip.get_tokenizer(self.model.name)
        except Exception as error:
            raise SourceError(
                f"{self.name}: open_clip cannot load this model", got=first_line(error)
            ) from error
        return module.eval(), preprocess, tokenizer


def is_of_open_clip(spec: FileSpec) -> bool:
    """Whether a source string names a model of open_clip.

    A folder that also has the configuration of transformers is left to it.
    """
    folder = spec.path.expanduser()
    alone = (folder / CONFIG).is_file() and not (folder / "config.json").is_file()
    return PRETRAINED in spec.options or alone


def open_model_of_open_clip(text: str, spec: FileSpec) -> OpenClipSource:
    """Open a model of open_clip."""
    where = f"clip:{spec.path}"
    check_options(spec.options, OPTIONS, where)
    given = {key: value for key, value in spec.options.items() if key != PRETRAINED}
    options = parse(given, where)
    if find_spec("open_clip") is None:
        raise SourceError(
            f"{text}: this model needs a package that is not installed",
            got="no open_clip",
            remedy="pip install open_clip_torch",
        )
    require_trust(f"load the model {spec.path} with open_clip, which may ask a hub for its parts")
    found = (_named if PRETRAINED in spec.options else _in_folder)(spec, options, where)
    return OpenClipSource(text, found, options)


def _in_folder(spec: FileSpec, options: Options, where: str) -> OpenClipModel:
    """A folder with open_clip_config.json and weights."""
    folder = spec.path.expanduser()
    config = read_config(folder / CONFIG)
    there = sorted(file for file in folder.iterdir() if file.is_file())
    weights = [file for file in there if file.suffix in SUFFIXES]
    if options.seed is None and not weights:
        raise SourceError(
            f"{where}: there are no weights",
            got=", ".join(file.name for file in there),
            allowed=f"a file that ends in {' or '.join(SUFFIXES)}",
            remedy="weights=random needs none",
        )
    others = tuple(file for file in there if file not in weights and file.suffix != ".md")
    files = (*others, *weights) if options.seed is None else others
    model = config.get("model_cfg", {})
    images = {**_usual_images(model), **config.get("preprocess_cfg", {})}
    require_numbers(images, folder / CONFIG)
    return OpenClipModel(f"local-dir:{folder}", _whole(model, folder / CONFIG), images, files)


def _named(spec: FileSpec, options: Options, where: str) -> OpenClipModel:
    """An architecture that open_clip knows by name, and a file of weights."""
    package = find_spec("open_clip")
    places = list(package.submodule_search_locations or ()) if package else []
    name = spec.path.as_posix().replace("/", "-")
    known = [Path(place) / "model_configs" / f"{name}.json" for place in places]
    file = next((one for one in known if one.is_file()), None)
    if file is None:
        raise SourceError(
            f"{where}: open_clip knows no such architecture",
            got=name,
            allowed="a name such as ViT-B-32; open_clip.list_models() has all",
        )
    weights = Path(spec.options[PRETRAINED]).expanduser()
    if not weights.is_file():
        raise SourceError(
            f"{where}: the file of the weights is not there",
            got=f"{PRETRAINED}={weights}",
            allowed="a file; open_clip.download_pretrained fetches one by its tag",
        )
    model = _whole(read_config(file), file)
    files = (weights,) if options.seed is None else ()
    return OpenClipModel(name, model, _usual_images(model), files, str(weights))


def _usual_images(model: Mapping[str, Any]) -> dict[str, Any]:
    """What open_clip does with images where nothing else is said."""
    size = model.get("vision_cfg", {}).get("image_size", 224)
    mean, std = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
    return {"size": size, "mean": mean, "std": std, "interpolation": "bicubic"}


def _whole(model: Any, file: Path) -> Mapping[str, Any]:
    if not isinstance(model, dict) or not isinstance(model.get("embed_dim"), int):
        raise SourceError(f"{file}: this is not a configuration of open_clip", got="no embed_dim")
    return model
