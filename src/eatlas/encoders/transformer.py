"""Vectors that models of transformers compute: of texts, of stimuli in texts, and of images.

A text becomes tokens; those of a stimulus are found by its characters. Texts of the same tokens are
computed once, and texts of one number of tokens together, without padding: in a batch of several
lengths sums would be taken over zeros too, in another order, and change their last bits with the
texts that are beside a text.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.encoders.cache import keeping
from eatlas.encoders.encoder import (
    EVERY,
    POOLED,
    Encoder,
    Numbers,
    Options,
    excerpt,
    layer_name,
    parse_layers,
    roundoff_of,
)
from eatlas.encoders.images import (
    AT_ONCE,
    Seen,
    ahead,
    image_encoding,
    open_pictures,
    read_settings,
    remarks_of,
)
from eatlas.encoders.loading import Head, Loaded, in_halves, load, tokenizer_of
from eatlas.encoders.models import (
    CLIP,
    PADDED,
    POOLS,
    PROCESSOR,
    ModelCard,
    NamedModel,
    content_of,
    find_model,
    head_of,
    logits_of,
    model_prompt,
    own_pooling,
    require_no_use,
)
from eatlas.errors import SourceError
from eatlas.lazy import import_torch
from eatlas.notes import Note
from eatlas.results.parts import Encoding
from eatlas.sources.source import Answers, Found, Item, Kind, Source, Unknown, chunks_of, innermost
from eatlas.sources.spec import take_option, with_option

Array = NDArray[np.float32]
Ids = tuple[Numbers, Numbers]
"""Numbers of the tokens of a text, and the segment of each."""
Wanted = dict[Ids, dict[Numbers, list[Item]]]
"""By the tokens of a text: the items that need a vector of it, by places of tokens."""
Batch = list[tuple[Ids, dict[Numbers, list[Item]]]]
_MARKS = "\u2581\u0120 "
"""What SentencePiece and byte-level tokenizers write for a space. A piece of nothing else
precedes a word, is not in it, even where its offsets say the word's first character."""
BUDGET = {"cpu": 2048, "cuda": 32768, "mps": 8192}
"""Tokens of a batch."""
CUT_OFF = "the text is longer than the model takes, and was cut before the end of the stimulus"
CUT = "cut"
"""The note about texts; images have their own."""
OF_IMAGES = ("cls", "mean", "max", "mean-all", POOLED)
"""How the patches of an image may become one vector."""


# --- from a source string to sources --------------------------------------------------------------


@keeping
def open_clip(text: str) -> tuple[ModelSource, ...]:
    """Open a two-tower model."""
    useless = ("level", "layer", "pool", "subword", "special_tokens")
    return (ModelSource(find_model(text, CLIP, takes=("both",), useless=useless)),)


@keeping
def open_hf(text: str) -> tuple[ModelSource, ...]:
    """Open a transformer of texts or of images; with ``layer=all`` one source for each layer."""
    named = find_model(text, takes=("texts", "images"))
    each, card = [named], named.card
    if named.options.layer == EVERY and (card.takes == "texts" or card.layered):
        plain, _ = take_option(text, "layer")
        each = [
            replace(
                named,
                text=with_option(plain, f"layer={number}"),
                options=named.options.model_copy(update={"layer": str(number)}),
            )
            for number in range(card.top + 1)
        ]
    return tuple(map(_open_images if card.takes == "images" else _open_texts, each))


METHODS = {"mean": "mean-all", "mean-words": "mean"}
"""Methods of pooling texts by the option, where their names differ. The method is part of the
fingerprint, so that stored vectors keep their meaning."""


def pool_of(method: str) -> str:
    """What records call a method of pooling texts: each name has one meaning."""
    return "mean-words" if method == "mean" else method


def _open_texts(named: NamedModel) -> ModelSource:
    """Open a model of texts."""
    return ModelSource(named, *way_of(named))


def way_of(named: NamedModel) -> tuple[Numbers, str, tuple[Note, ...]]:
    """Layers, and how tokens become one vector by the options or the model's own files; notes."""
    options, label, family = named.options, named.label, named.card.family
    whole = options.level == "sentence"
    require_no_use(label, named.given, ["subword" if whole else "pool"])
    own, parts = own_pooling(named.path) if whole else ("", "")
    notes = model_prompt(named.path, f"st:{named.name}")[1] if whole else ()
    method: str | None = options.subword
    if whole:
        method = METHODS.get(options.pool or "", options.pool)
    if method == POOLED:
        raise SourceError(f"{label}: texts cannot be pooled in this way", got=f"pool={POOLED}")
    if method is None and parts:
        raise SourceError(
            f"{label}: the model declares a pooling that hf: does not support",
            got=parts,
            allowed=f"st:{named.name}, which pools as the model declares; "
            "or a pooling of your choice: ?pool=mean, ?pool=cls",
            remedy="?pool=... leaves out what the model does after its transformer",
        )
    if method is None and own:
        method, notes = own, (Note("source.pooling", values={"pool": pool_of(own)}), *notes)
    if method is None and not family:
        key = "pool" if whole else "subword"
        raise SourceError(
            f"{label}: this model type is unknown, so {key} has no default",
            got=f"model type {named.card.model_type!r}",
            remedy=f"set it, for example {key}=mean",
        )
    layers = parse_layers(options.layer, named.card.top, label)
    return layers, method or POOLS[family][not whole], notes


def _open_images(named: NamedModel) -> ModelSource:
    """Open a model of images."""
    card, options, label = named.card, named.options, named.label
    require_no_use(label, named.given, ("level", "subword", "special_tokens", "truncate"))
    pools = [pool for pool in OF_IMAGES if card.before or pool != "cls"]
    pool = options.pool or card.pool
    if pool not in pools:
        raise SourceError(
            f"{label}: this model cannot pool images in this way",
            got=f"pool={pool}",
            allowed=", ".join(pools),
        )
    layers = parse_layers(options.layer, card.top, label)
    top_alone = "" if card.layered else "these layers differ in length"
    if pool == POOLED:
        top_alone = f"pool={POOLED} is of the top layer"
    if top_alone and layers != (card.top,):
        raise SourceError(
            f"{label}: this model has no layers to choose from, for {top_alone}",
            got=f"layer={options.layer}",
            allowed="layer=-1, the top",
        )
    return ModelSource(named, layers, pool)


# --- sources --------------------------------------------------------------------------------------


class ModelSource(Encoder):
    """A source whose vectors a model of transformers computes when they are needed.

    No weights are read before that. Vectors of a two-tower model are those of ``get_text_features``
    and ``get_image_features`` of transformers, not scaled to length 1.
    """

    def __init__(
        self,
        named: NamedModel,
        layers: Numbers = (),
        method: str = "",
        notes: tuple[Note, ...] = (),
    ) -> None:
        super().__init__(named.text)
        self.named, self.card, self.options = named, named.card, named.options
        self.layers, self.method, self._notes = layers, method, notes
        self.shared: dict[Numbers, dict[Item, Found]] = {layers: {}}
        """Layers that are computed in one pass, and answers of each that wait to be read."""
        self._remarked: defaultdict[str, set[str]] = defaultdict(set)
        self._settings = {} if self.card.takes == "texts" else read_settings(named.path)

    @property
    def kinds(self) -> frozenset[Kind]:
        """Texts, images or both."""
        kinds: tuple[Kind, ...] = ("text", "image")
        return frozenset(kind for kind in kinds if self.card.takes in {"both", f"{kind}s"})

    @property
    def head(self) -> Head:
        """What the model computes."""
        if self.card.takes == "images":
            return "pooled" if self.method == POOLED else "vision"
        return "towers" if self.card.takes == "both" else ""

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim or self.card.dim

    size_text = Source.size_text  # the configuration says it

    @property
    def by_place(self) -> bool:
        """At level ``word``; where long texts are cut, so that some lose one stimulus alone."""
        return self.options.level == "word" or self.options.truncate

    @property
    def fingerprint(self) -> str:
        """Hash of the model's files, and all options that decide numbers."""
        o = self.options
        decides = (
            f"{self.content};2;{self.head};level={o.level};layer={layer_name(self.layers)};method="
            f"{self.method};seed={o.random_seed};precision={o.precision};truncate={o.truncate}"
        )
        if not o.special_tokens:
            decides += ";special_tokens=False"
        return f"sha256:{hashlib.sha256(decides.encode()).hexdigest()}"

    @cached_property
    def content(self) -> str:
        """Hash of the model's files."""
        return content_of(self.named, () if self.card.takes == "texts" else PROCESSOR)

    @property
    def loaded(self) -> Loaded:
        """The model, ready to compute."""
        return load(self.named, self.content, self.head)

    @property
    def tokenizer(self) -> Any:
        """The tokenizer alone, for which no weights are read."""
        return tokenizer_of(self.named.path, trust=self.options.trust_remote_code)

    @property
    def adds_cls(self) -> bool:
        """Whether texts get a [CLS] token."""
        tokenizer = self.tokenizer
        (tokens,) = tokenize(tokenizer, ["a"], special=self.options.special_tokens)
        return tokenizer.cls_token_id is not None and tokenizer.cls_token_id in tokens.ids

    @property
    def fills_masks(self) -> bool:
        """Whether the model was saved with a head that fills masks, and its tokenizer has one."""
        saved = map(head_of, self.card.saved_classes)
        return "masked" in saved and self.tokenizer.mask_token_id is not None

    @cached_property
    def encoding(self) -> Encoding:
        """How a text or image becomes a vector, with every default spelled out."""
        card, options = self.card, self.options
        how: dict[str, Any] = {"level": options.level, "pool": self.method}
        if card.takes == "texts" or card.layered:
            how |= {"layer": layer_name(self.layers), "layers": card.top}
        if options.level == "word":
            how |= {"pool": "", "subword": self.method}
        elif card.takes == "texts":
            how |= {"pool": pool_of(self.method)}
        if not options.special_tokens:
            how |= {"special_tokens": False}
        if card.takes == "images":
            how["level"] = "image"
        if card.takes == "both":
            scale, bias = logits_of(self.named.path, card, options.random_seed)
            how |= {"pool": "projected", "projection": card.dim}
            how |= {"logit_scale": scale, "logit_bias": bias}
        return Encoding(
            model=self.named.name,
            architecture=card.architecture,
            weights=options.weights,
            weights_seed=options.random_seed,
            precision=options.precision,
            roundoff=roundoff_of(options.precision),
            images=image_encoding(self._settings) if self._settings else None,
            **how,
        )

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know about the vectors, so far."""
        several = sorted(self._remarked.items())
        read = [(h, {"how": h, "count": len(n), "such": excerpt(min(n))}) for h, n in several]
        cut = [Note("source.cut", values=values) for how, values in read if how == CUT]
        images = [Note("source.images", values=values) for how, values in read if how != CUT]
        return (*self._notes, *self.options.notes, *cut, *images)

    def recall(self, answers: Answers) -> None:
        """Take note of texts that were cut and of what there is to say of images, now or before."""
        super().recall(answers)
        for item, answer in answers.items():
            for remark in (*answer.remarks, *[CUT] * answer.cut):
                self._remarked[remark].add(item.called)

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Compute vectors batch by batch, float32, shape (dim,).

        Where texts that are too long are cut, those that lose their stimulus have none.
        """
        waiting = self.shared[self.layers]
        ready = {item: waiting.pop(item) for item in items if item in waiting}
        if ready:
            self.recall(ready)
            yield ready
        rest = [layers for layers in self.shared if layers != self.layers]
        left = [item for item in items if item not in ready]
        texts = [item for item in left if item.kind == "text"]
        images = [item for item in left if item.kind == "image"]
        for kind, compute in ((texts, self._texts), (images, self._images)):
            for own, *others in compute(kind, [self.layers, *rest]) if kind else ():
                for layers, answers in zip(rest, others, strict=False):
                    self.shared[layers].update(answers)
                self.recall(own)
                yield own

    def _texts(self, items: Collection[Item], order: list[Numbers]) -> Iterator[list[Answers]]:
        """Compute texts batch by batch; answers by layer, in order."""
        loaded, card = self.loaded, self.card
        wanted, about = read_items(
            loaded, items, self.name, self.options, self.method or "mean-all"
        )
        if lost := {item: answer for item, answer in about.items() if answer.reason}:
            yield [lost] * len(order)
        width = PADDED.get(card.model_type) if card.takes == "both" else None
        compute = partial(pool_batch, loaded, order, card.top, self.method)
        if card.takes == "both":
            compute = partial(_text_features, loaded, width)
        for batch in batches(wanted, loaded, width):
            for part, arrays in in_halves(batch, compute, loaded.module, self.name):
                several = [same for _, places in part for same in places.values()]
                yield [self._answers_from_rows(rows, several, about) for rows in arrays]

    def _images(self, items: Collection[Item], order: list[Numbers]) -> Iterator[list[Answers]]:
        """Decode images, those of the same bytes once, and compute them batch by batch."""
        loaded, several = self.loaded, open_pictures(items)
        pictures = [picture for picture, _ in several.values()]
        about = {
            item: Found(None, remarks=remarks_of(picture, self._settings))
            for picture, same in several.values()
            for item in same
        }
        compute = partial(image_vectors, loaded, self.card, order, self.method)
        for batch in ahead(pictures, AT_ONCE[loaded.device.type], loaded):
            for part, arrays in in_halves(batch, compute, loaded.module, self.name):
                same = [several[picture.content][1] for picture, _ in part]
                yield [self._answers_from_rows(rows, same, about) for rows in arrays]

    def _answers_from_rows(
        self, rows: Array, several: Sequence[Collection[Item]], about: Mapping[Item, Found]
    ) -> Answers:
        """For each item the vector of its text or image, once all are finite.

        `about` holds what is noted next to the vectors.
        """
        finite = np.isfinite(rows).all(axis=1)
        if not finite.all():
            item = next(iter(several[int(np.argmin(finite))]))
            raise SourceError(
                f"{self.name}: the vector of this {item.kind} is not finite: "
                f"{excerpt(item.called)}",
                got=f"numbers beyond the range of {self.options.precision}",
                remedy=None if self.options.precision == "float32" else "precision=float32",
            )
        return {
            item: replace(about[item], vector=row)
            for row, items in zip(rows, several, strict=True)
            for item in items
        }


def share_passes(sources: Iterable[Source]) -> list[list[Source]]:
    """Have sources that differ in their layers alone computed in one pass of the model."""
    together: dict[tuple[object, ...], list[Source]] = {}
    for source in sources:
        inner, encoding = innermost(source), source.encoding
        key: tuple[object, ...] = (source.name, id(source))
        if isinstance(inner, ModelSource) and inner.layers and encoding:
            same = (each.model_copy(update={"layer": ""}) for each in (inner.options, encoding))
            key = (inner.content, *map(str, same))
        together.setdefault(key, []).append(source)
    for several in together.values():
        inners = [inner for inner in map(innermost, several) if isinstance(inner, ModelSource)]
        shared: dict[Numbers, dict[Item, Found]] = {inner.layers: {} for inner in inners}
        for inner in inners:
            inner.shared = shared
    return [together[key] for key in sorted(together, key=lambda key: str(key[0]))]


# --- tokens ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tokens:
    """The tokens of one text, including special tokens."""

    ids: Sequence[int]
    types: Sequence[int]
    """Segment of each token, for models that distinguish segments."""
    special: Sequence[int]
    """1 for a token that the tokenizer added, such as [CLS]; one that the text spells has 0."""
    pieces: Sequence[str]
    offsets: Sequence[tuple[int, int]] | None
    """Characters of the text behind each token; None where the tokenizer does not give them."""

    @property
    def of_text(self) -> list[int]:
        """Places of the tokens that stand for the text."""
        return [i for i, special in enumerate(self.special) if not special]

    def of_span(self, span: tuple[int, int]) -> list[int]:
        """Places of the tokens that hold a character of a span; there may be none.

        A token that begins with a space, as those of GPT-2 do, belongs to the word behind it.
        """
        start, end = span
        return [
            i
            for i, (first, last) in enumerate(self.offsets or ())
            if first < end and start < last and not self.special[i] and self.pieces[i].strip(_MARKS)
        ]


def tokenize(
    tokenizer: Any, texts: list[str], limit: int | None = None, *, special: bool = True
) -> list[Tokens]:
    """Tokenise texts as the tokenizer does by itself, or cut to so many tokens in all."""
    encoded = tokenizer(
        texts,
        add_special_tokens=special,
        return_attention_mask=False,
        return_special_tokens_mask=True,
        return_offsets_mapping=tokenizer.is_fast,
        verbose=False,
        **({} if limit is None else {"truncation": True, "max_length": limit}),
    )
    return [
        Tokens(
            ids,
            encoded["token_type_ids"][i] if "token_type_ids" in encoded else [0] * len(ids),
            encoded["special_tokens_mask"][i],
            tokenizer.convert_ids_to_tokens(ids),
            encoded["offset_mapping"][i] if tokenizer.is_fast else None,
        )
        for i, ids in enumerate(encoded["input_ids"])
    ]


def need_offsets(tokenizer: Any, label: str) -> None:
    """Refuse a tokenizer that does not tell which characters a token stands for."""
    if not tokenizer.is_fast:
        raise SourceError(
            f"{label}: the tokenizer does not report character positions, so the tokens of a "
            "stimulus cannot be found",
            got=type(tokenizer).__name__,
            allowed="level=sentence with this model, or one with a fast tokenizer (tokenizer.json)",
        )


def read_items(
    loaded: Loaded,
    items: Collection[Item],
    name: str,
    options: Options,
    pool: str = "mean-all",
    before: str = "",
) -> tuple[Wanted, dict[Item, Found]]:
    """Tokenise each text once, behind what is put before all, and find the tokens that are needed.

    Places of tokens that are pooled by the tokens of a text, the longest texts first: memory runs
    out at once or not at all. Also return a note on each item that needs one, for example if its
    text was truncated before the stimulus.
    """
    if options.level == "word":
        need_offsets(loaded.tokenizer, name)
    of_text: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        of_text[item.content].append(item)
    wanted: Wanted = defaultdict(lambda: defaultdict(list))
    about: dict[Item, Found] = {}
    special = options.special_tokens
    several = tokenize(loaded.tokenizer, [before + text for text in of_text], special=special)
    for text, whole in zip(of_text, several, strict=True):
        tokens = whole
        if loaded.limit is not None and len(whole.ids) > loaded.limit:
            if not options.truncate:
                raise SourceError(
                    f"{name}: a text is longer than the model takes: {excerpt(text)}",
                    got=f"{len(whole.ids):,} tokens",
                    allowed=f"up to {loaded.limit:,} tokens, including special tokens",
                    remedy="shorten the text; or add truncate=yes (not for st:), which truncates "
                    "it and warns; or shorten contexts with --window",
                )
            tokens = tokenize(loaded.tokenizer, [text], loaded.limit, special=special)[0]
        ids = tuple(tokens.ids), tuple(tokens.types)
        for item in of_text[text]:
            if tokens is not whole and _is_lost(item, whole, tokens, options.level):
                about[item] = Found(None, CUT_OFF)
                continue
            places = tuple(_places(loaded.tokenizer, item, tokens, options.level, pool, name))
            unknown = _unknown(loaded.tokenizer, item, tokens, options.level)
            wanted[ids][places].append(item)
            about[item] = Found(None, unknown=unknown, cut=tokens is not whole)
    longest_first = sorted(wanted.items(), key=lambda entry: (-len(entry[0][0]), entry[0]))
    return dict(longest_first), about


def _is_lost(item: Item, whole: Tokens, left: Tokens, level: str) -> bool:
    """Whether a text was cut within the stimulus, or before it.

    A vector of the whole text needs no more than a part of the stimulus: the stimulus may be the
    text.
    """
    if item.span is None:
        return False
    there, all_of_it = len(left.of_span(item.span)), len(whole.of_span(item.span))
    return there < all_of_it if level == "word" else not there and all_of_it > 0


def _unknown(tokenizer: Any, item: Item, tokens: Tokens, level: str) -> Unknown:
    """How much of an item the tokenizer takes for its one piece of all that it does not know."""
    piece = tokenizer.unk_token_id
    if piece is None or piece not in tokens.ids or tokenizer.unk_token in item.content:
        return ""
    places = {place for place, number in enumerate(tokens.ids) if number == piece}
    in_place = item.span is not None and tokens.offsets is not None
    stimulus = tokens.of_span(item.span) if in_place and item.span else tokens.of_text
    if stimulus and places.issuperset(stimulus):
        return "all"
    return "part" if places.intersection(stimulus if level == "word" else tokens.of_text) else ""


def _places(
    tokenizer: Any, item: Item, tokens: Tokens, level: str, pool: str, name: str
) -> list[int]:
    """Places of the tokens from which the vector of an item is pooled."""
    places, fault, allowed = tokens.of_text, f"a text has no token: {excerpt(item.text)}", None
    if level == "word" and item.span is None:
        fault = (
            "at level word a vector belongs to the stimulus in a text, and this text has no "
            f"stimulus: {excerpt(item.text)}"
        )
        places, allowed = [], "level=sentence, or the stimulus' span in the test file"
    elif level == "word" and item.span is not None:
        places = tokens.of_span(item.span)
        fault = f"no token belongs to the stimulus {item.stimulus!r} in {excerpt(item.text)}"
    elif pool == "cls":  # XLNet has it at the end
        number = tokenizer.cls_token_id
        places = [i for i, each in enumerate(tokens.ids) if each == number and tokens.special[i]]
        places, fault = places[:1], "the tokenizer of this model adds no [CLS] token"
        allowed = "pool=mean, first, last or max"
    elif pool.endswith("-all") and places:
        places = list(range(len(tokens.ids)))
    if not places:
        got = " ".join(tokens.pieces[:20])
        raise SourceError(f"{name}: {fault}", got=got or None, allowed=allowed)
    return {"first": places[:1], "last": places[-1:], "last-all": places[-1:]}.get(pool, places)


# --- states of the model --------------------------------------------------------------------------


def batches(wanted: Wanted, loaded: Loaded, width: int | None = None) -> Iterator[Batch]:
    """Put texts of one length into batches; a text longer than the budget is a batch of its own."""
    budget = BUDGET.get(loaded.device.type, BUDGET["cpu"])
    for length, same in groupby(wanted.items(), lambda entry: width or len(entry[0][0])):
        yield from chunks_of(same, max(1, budget // length))


def text_inputs(
    loaded: Loaded, texts: Iterable[Ids], width: int | None = None
) -> dict[str, NDArray[np.int64]]:
    """Texts of one number of tokens as arrays; or padded to `width` and read without a mask."""
    ids, types = (list(map(list, each)) for each in zip(*texts, strict=True))
    if width:
        padded = loaded.tokenizer.pad({"input_ids": ids}, padding="max_length", max_length=width)
        return {"input_ids": np.array(padded["input_ids"], np.int64)}
    inputs = {"input_ids": np.array(ids, np.int64)}
    inputs["attention_mask"] = np.ones_like(inputs["input_ids"])
    # zeros are what a model takes by itself, and GPT-2 would add the vector of word 0
    if np.any(types) and "token_type_ids" in loaded.tokenizer.model_input_names:
        inputs["token_type_ids"] = np.array(types, np.int64)
    return {name: array for name, array in inputs.items() if name in loaded.takes}


def tensors(loaded: Loaded, inputs: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Arrays as tensors where the model computes, pixels in the numbers that it computes with."""
    torch = import_torch()

    on_device = {name: torch.from_numpy(a).to(loaded.device) for name, a in inputs.items()}
    return {
        name: tensor.to(loaded.module.dtype) if tensor.is_floating_point() else tensor
        for name, tensor in on_device.items()
    }


def pool_batch(
    loaded: Loaded, layers: Sequence[Numbers], top: int, method: str, batch: Batch
) -> list[Array]:
    """Vectors of what is needed of a batch of texts, one array for each choice of layers."""
    inputs = text_inputs(loaded, [ids for ids, _ in batch])
    places = [list(needed) for _, needed in batch]
    return pool_states(states_of(loaded, inputs, layers, top), layers, method, places)


def states_of(
    loaded: Loaded, inputs: Mapping[str, NDArray[Any]], layers: Sequence[Numbers], top: int
) -> dict[int, Any]:
    """Run the model: the states of each layer that is needed, shape (inputs, tokens, dim)."""
    torch = import_torch()

    needed = sorted({number for each in layers for number in each})
    with torch.inference_mode():
        out = loaded.module(**tensors(loaded, inputs), output_hidden_states=needed != [top])
    # the top as the model itself gives it, whatever it lists as its last hidden state
    states = {n: out.last_hidden_state if n == top else out.hidden_states[n] for n in needed}
    # a convolution has (images, dim, height, width)
    return {n: s.flatten(2).transpose(1, 2) if s.ndim == 4 else s for n, s in states.items()}


def pool_states(
    states: Mapping[int, Any],
    layers: Sequence[Numbers],
    method: str,
    places: Sequence[Sequence[Sequence[int]]],
) -> list[Array]:
    """Pool states at the places of each vector of each input, for each choice of layers."""
    torch = import_torch()

    rows = {}
    for number, state in states.items():
        width = state.shape[1]
        flat = [row * width + i for row, each in enumerate(places) for some in each for i in some]
        index = torch.tensor(flat, device=state.device)
        taken = state.reshape(-1, state.shape[-1]).index_select(0, index)
        rows[number] = taken.float().cpu().numpy()
    sizes = [len(some) for each in places for some in each]
    arrays = []
    for each in layers:
        several = [rows[number] for number in each]
        if len({array.shape[1] for array in several}) > 1:
            raise SourceError(
                f"layers {layer_name(each)} have vectors of different lengths",
                remedy="exclude the top layer",
            )
        combined = np.mean(several, axis=0) if len(several) > 1 else several[0]
        arrays.append(pool(combined, sizes, method))
    return arrays


def pool(rows: Array, sizes: Sequence[int], how: str) -> Array:
    """Pool consecutive rows: the first ``sizes[0]``, the next ``sizes[1]``, ..."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    if how in {"max", "max-all"}:
        largest: Array = np.maximum.reduceat(rows, starts, axis=0)
        return largest
    sums: Array = np.add.reduceat(rows, starts, axis=0)
    return sums / np.asarray(sizes, np.float32)[:, np.newaxis]


# --- images, and two towers -----------------------------------------------------------------------


def image_vectors(
    loaded: Loaded, card: ModelCard, layers: Sequence[Numbers], method: str, seen: Seen
) -> list[Array]:
    """Vectors of some images, one array for each choice of layers."""
    torch = import_torch()

    inputs = {name: np.concatenate([pixels[name] for _, pixels in seen]) for name in seen[0][1]}
    if card.takes == "both":
        return [_features(loaded, "image", inputs)]
    if method == POOLED:
        with torch.inference_mode():
            out = loaded.module(**tensors(loaded, inputs))
            return [out.pooler_output.flatten(1).float().cpu().numpy()]
    states = states_of(loaded, inputs, layers, card.top)
    width = next(iter(states.values())).shape[1]
    first = 0 if method in {"cls", "mean-all"} else card.before
    patches = range(first, 1 if method == "cls" else width)
    return pool_states(states, layers, method, [[patches]] * len(seen))


def _text_features(loaded: Loaded, width: int | None, batch: Batch) -> list[Array]:
    return [_features(loaded, "text", text_inputs(loaded, [ids for ids, _ in batch], width))]


def _features(loaded: Loaded, tower: str, inputs: Mapping[str, Any]) -> Array:
    """Vectors of one tower in the space that both share."""
    torch = import_torch()

    features = getattr(loaded.module, f"get_{tower}_features", lambda **_: torch.empty(0))
    with torch.inference_mode():
        out = features(**tensors(loaded, inputs))
        vectors = getattr(out, "pooler_output", out)
    if vectors.ndim != 2:
        raise SourceError(
            f"{type(loaded.module).__name__}: texts and images have no joint space",
            got=f"{tower} features of shape {tuple(vectors.shape)}",
            allowed="two-tower models such as CLIP, SigLIP, ALIGN and AltCLIP",
        )
    array: Array = vectors.float().cpu().numpy()
    return array
