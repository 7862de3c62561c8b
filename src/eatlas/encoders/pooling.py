"""Batches of tokens through a transformer to the vectors of tokens, and those pooled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from eatlas.encoders.loading import Array, Loaded, in_halves
from eatlas.encoders.options import Layers
from eatlas.encoders.tokens import Tokens

Places = Sequence[tuple[int, Sequence[int]]]
"""Number of a text in the batch, and places of tokens in it."""


def vectors_of_tokens(
    loaded: Loaded, texts: Sequence[Tokens], places: Places, layers: Sequence[Layers], top: int
) -> list[Array]:
    """Compute one batch, and take the rows of tokens."""
    import torch  # noqa: PLC0415

    inputs = _inputs(loaded, texts)
    width = inputs["input_ids"].shape[1]
    flat = [row * width + place for row, several in places for place in several]
    index = torch.tensor(flat, device=loaded.device)
    needed = sorted({number for each in layers for number in each.numbers})
    with torch.inference_mode():
        out = loaded.module(**inputs, output_hidden_states=needed != [top])
        taken = {}
        for number in needed:
            # the top as the model itself gives it, whatever it lists as its last hidden state
            hidden = out.last_hidden_state if number == top else out.hidden_states[number]
            rows = hidden.reshape(-1, hidden.shape[-1]).index_select(0, index)
            taken[number] = rows.float().cpu().numpy()
    return [_combined([taken[number] for number in each.numbers], each.combine) for each in layers]


def halved_where_memory_ends(
    loaded: Loaded, texts: Sequence[Tokens], places: Places, layers: Sequence[Layers], top: int
) -> Iterator[tuple[Places, list[Array]]]:
    """Compute a batch; where memory does not suffice, its halves."""

    def compute(rows: range) -> list[Array]:
        part = [(row - rows.start, several) for row, several in places if row in rows]
        return vectors_of_tokens(loaded, texts[rows.start : rows.stop], part, layers, top)

    for rows, vectors in in_halves(loaded, range(len(texts)), compute):
        yield [(row, several) for row, several in places if row in rows], vectors


def _inputs(loaded: Loaded, texts: Sequence[Tokens]) -> dict[str, Any]:
    """Pad on the right: there positions need no care, and causal models do not see it."""
    import torch  # noqa: PLC0415

    tokenizer, lengths = loaded.tokenizer, [len(text.ids) for text in texts]
    padding = loaded.module.config.pad_token_id
    if not isinstance(padding, int) or padding < 0:
        padding = 0  # hidden by the mask, so that any token does
    ids = np.full((len(texts), max(lengths)), padding, np.int64)
    mask = np.zeros_like(ids)
    types = np.zeros_like(ids)
    for row, (text, length) in enumerate(zip(texts, lengths, strict=True)):
        ids[row, :length] = text.ids
        mask[row, :length] = 1
        types[row, :length] = text.types
    inputs = {"input_ids": ids, "attention_mask": mask}
    # zeros are what a model takes by itself, and GPT-2 would add the vector of word 0
    if types.any() and "token_type_ids" in tokenizer.model_input_names:
        inputs["token_type_ids"] = types
    return {
        name: torch.from_numpy(array).to(loaded.device)
        for name, array in inputs.items()
        if name in loaded.takes
    }


def _combined(several: list[Array], how: str) -> Array:
    if len(several) == 1:
        return several[0]
    stacked = np.stack(several)
    combined: Array = stacked.sum(axis=0) if how == "sum" else stacked.mean(axis=0)
    return combined


def pool(rows: Array, sizes: Sequence[int], how: str) -> Array:
    """Pool consecutive rows: the first ``sizes[0]``, the next ``sizes[1]``, ..."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    if how.startswith("max"):
        largest: Array = np.maximum.reduceat(rows, starts, axis=0)
        return largest
    sums: Array = np.add.reduceat(rows, starts, axis=0)
    return sums / np.asarray(sizes, np.float32)[:, np.newaxis]
