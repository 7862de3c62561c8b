"""``st:``: vectors of sentences from sentence-transformers, pooled as the model itself says."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import Encoder, as_rows, require_extra, roundoff_of
from eatlas.encoders.loading import first_line, quiet, repeat_products
from eatlas.encoders.model_conventions import (
    declared,
    files_of_sentence_model,
    modules_of,
    prompt_note,
)
from eatlas.encoders.model_files import MODULES, sentence_model_on_the_hub, sha256_of
from eatlas.encoders.tokens import shown, unknown_of
from eatlas.errors import SourceError
from eatlas.results.parts import Encoding
from eatlas.sources.interface import Answers, Found, Item, Read, Unknown, cut
from eatlas.sources.spec import check_options, parse_file_spec

SCHEME = "st:"
Ids = tuple[int, ...]
"""Numbers of the tokens of a text, special ones included."""
NEEDED = ("torch", "sentence_transformers")
AT_ONCE = 512
"""Texts handed over at a time: the library sorts them by length, and progress moves."""
BATCH = 64
OPTIONS = {
    "level": "sentence, the only one",
    "prefix": "a text that the model wants before each sentence, such as 'query: '",
    "device": "where it computes: cpu, cuda, mps",
    "revision": "branch, tag or commit of a model on the hub",
}


class SentenceModelSource(Encoder):
    """Sentences encoded by a model of sentence-transformers.

    Pooling, normalisation and every further layer are the model's own. Nothing heavy is imported
    before a sentence is encoded.
    """

    def __init__(
        self, name: str, folder: Path, prefix: str = "", device: str | None = None
    ) -> None:
        super().__init__(name)
        self.folder, self.prefix, self.device = folder, prefix, device
        self._modules = modules_of(folder)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's files and the prefix."""
        digest = hashlib.sha256(f"st 1;prefix={self.prefix}\n".encode())
        for file in files_of_sentence_model(self.folder):
            name = file.relative_to(self.folder).as_posix()
            digest.update(f"{name} {sha256_of(file)}\n".encode())
        return f"sha256:{digest.hexdigest()}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Prompts that the model declares, where the user chose none."""
        said = declared(self.folder, self.name.removeprefix(SCHEME).partition("?")[0])
        put = None if self.prefix else said.default
        return tuple(prompt_note(said, put=put, how="?prefix=... puts another text there."))

    @property
    def encoding(self) -> Encoding:
        """How a sentence becomes a vector."""
        return Encoding(
            model=self.name.removeprefix(SCHEME).partition("?")[0],
            architecture=f"SentenceTransformer {version('sentence-transformers')}",
            level="sentence",
            pool=", ".join(self._modules),
            prompt=self._before and f"{self._before}{{}}",
            roundoff=roundoff_of(""),
        )

    shares = True

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors, the longest texts first.

        Texts of the same tokens share one vector. Texts of one number of tokens are computed
        together, so that none is padded and its vector depends little on the texts beside it.
        """
        grouped: defaultdict[str | Ids, list[tuple[Item, Unknown]]] = defaultdict(list)
        for one, (what, unknown) in self._tokens(items).items():
            grouped[what].append((one, unknown))
        order = sorted(grouped, key=lambda what: (-len(what), what))
        for _, alike in groupby(order, len):
            for some in cut(alike, AT_ONCE):
                texts = [grouped[what][0][0].content for what in some]
                with quiet():
                    given = self._model.encode(
                        texts, batch_size=BATCH, show_progress_bar=False, **self._prompt
                    )
                rows = as_rows(given, texts, self.name)
                self._dim = rows.shape[1]
                yield {
                    one: Found(row, unknown=unknown)
                    for what, row in zip(some, rows, strict=True)
                    for one, unknown in grouped[what]
                }

    def same(self, items: Collection[Item]) -> Mapping[Item, Read]:
        """Return the tokens of each item, or its text where the model has no tokenizer."""
        return {one: Read(repr(what), how) for one, (what, how) in self._tokens(items).items()}

    @property
    def _before(self) -> str:
        """Prompt before each text: the user's choice, or the model's own default."""
        return self.prefix or declared(self.folder).default

    @property
    def _prompt(self) -> dict[str, str]:
        return {"prompt": self.prefix} if self.prefix else {}

    @cached_property
    def _model(self) -> Any:
        """The model, loaded by sentence-transformers."""
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (many seconds)

        repeat_products()
        try:
            return SentenceTransformer(
                str(self.folder), device=self.device, local_files_only=True
            ).eval()
        except Exception as error:
            raise SourceError(
                f"{self.name}: sentence-transformers cannot load this model",
                got=first_line(error),
                remedy="code that comes with a model is never run here; py: takes a function of "
                "yours that runs it",
            ) from error

    def _tokens(self, items: Collection[Item]) -> dict[Item, tuple[str | Ids, Unknown]]:
        """Numbers of the tokens of each item, or its text where the model has no tokenizer.

        A text that the library would cut without a word is refused.
        """
        with quiet():
            model = self._model
        limit, tokenizer = model.max_seq_length, model.tokenizer
        if not callable(tokenizer):
            return {one: (one.content, "") for one in items}
        found: dict[str, tuple[str | Ids, Unknown]] = {}
        texts = {one.content for one in items}
        with quiet():
            for text in sorted(texts, key=lambda text: (-len(text), text)):
                ids = tuple(tokenizer(self._before + text, truncation=False)["input_ids"])
                if limit is not None and len(ids) > limit:
                    raise SourceError(
                        f"{self.name}: a text is longer than the model takes: {shown(text)}",
                        got=f"{len(ids):,} tokens",
                        allowed=f"up to {limit:,} tokens, special ones included",
                        remedy="shorten it; a --window in words keeps contexts short",
                    )
                found[text] = ids, unknown_of(tokenizer, text, ids)
        return {one: found[one.content] for one in items}


@keeping
def open_st(text: str) -> tuple[SentenceModelSource, ...]:
    """Open a model of sentence-transformers."""
    spec = parse_file_spec(text.removeprefix(SCHEME))
    given = text.removeprefix(SCHEME).partition("?")[0]
    where = SCHEME + given
    if not given.strip():
        raise SourceError(f"{text}: no model is named", allowed="st:NAME, st:FOLDER")
    check_options(spec.options, OPTIONS, where)
    if spec.options.get("level", "sentence") != "sentence":
        raise SourceError(
            f"{where}: the option level cannot have this value",
            got=f"level={spec.options['level']}",
            allowed="sentence",
            remedy="for vectors of words in their sentence: hf: and level=word",
        )
    require_extra(NEEDED, f"{text}: sentence-transformers is not installed")
    folder = _find(spec.path, spec.options.get("revision", "main"))
    options = spec.options
    return (SentenceModelSource(text, folder, options.get("prefix", ""), options.get("device")),)


def _find(path: Path, revision: str) -> Path:
    """Folder of a model, here or fetched from the hub."""
    folder = path.expanduser()
    if folder.is_dir():
        if (folder / MODULES).is_file():
            return folder
        raise SourceError(
            f"{folder}: this folder holds no model of sentence-transformers",
            got=", ".join(sorted(file.name for file in folder.iterdir())[:10]) or "an empty folder",
            allowed=f"a folder with {MODULES}",
            remedy="hf: takes other transformers",
        )
    return sentence_model_on_the_hub(path.as_posix(), revision)
