"""The plain way: transformers on one text at a time, without padding; spans found by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.tiny_models import ADDED

_SHOWN = [*range(33, 127), *range(161, 173), *range(174, 256)]
BYTES = {chr(byte): byte for byte in _SHOWN} | {
    chr(256 + i): byte for i, byte in enumerate(b for b in range(256) if b not in _SHOWN)
}
"""Signs of byte-level tokenizers: printable bytes stand for themselves, others from 256 on."""


@dataclass
class SlowLoop:
    """A model and its tokenizer as transformers loads them by itself."""

    tokenizer: Any
    module: Any
    added: tuple[int, int]
    """Special tokens before and behind a text."""
    fold: bool = False
    """Whether the tokenizer lower-cases and takes accents off."""

    @classmethod
    def of(cls, folder, family, *, fold=False):
        from transformers import AutoModel, AutoTokenizer

        whole = AutoModel.from_pretrained(folder)
        module = whole.get_encoder() if family == "t5" else whole
        return cls(AutoTokenizer.from_pretrained(folder), module.eval(), ADDED[family], fold)

    def states(self, text):
        """Hidden states of all layers, shape (layers + 1, tokens, dim)."""
        import torch

        ids = self.tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            out = self.module(input_ids=ids, output_hidden_states=True)
        return np.stack([state[0].numpy() for state in out.hidden_states])

    def tokens(self, text, span):
        """Numbers of the tokens that hold a letter of the stimulus, by walking along the text."""
        if self.fold:
            text = text.lower().replace("é", "e")
        start, end = (len(text[:place].encode()) for place in span)
        pieces = self.tokenizer.convert_ids_to_tokens(self.tokenizer(text)["input_ids"])
        before, behind = self.added
        raw, at, held = text.encode(), 0, []
        for number in range(before, len(pieces) - behind):
            letters = self._letters(pieces[number])
            while letters and raw[at : at + 1] == b" ":
                at += 1
            assert raw[at : at + len(letters)] == letters, (pieces, text)
            if letters and start < at + len(letters) and at < end:
                held.append(number)
            at += len(letters)
        return held

    def _letters(self, piece):
        """Bytes of a piece, without the sign of a space before it."""
        if "##" in piece or "[CLS]" in self.tokenizer.all_special_tokens:
            return piece.removeprefix("##").encode()
        if "\u2581" in piece or "\u2581" in "".join(self.tokenizer.get_vocab()):
            return piece.replace("\u2581", "").encode()
        return bytes(BYTES[sign] for sign in piece).strip()

    def vector(self, passage, *, level, how, layers=(-1,), combine=np.mean):
        states = self.states(passage.text)
        tokens = combine([states[layer] for layer in layers], axis=0)
        before, behind = self.added
        if level == "word":
            rows = tokens[self.tokens(passage.text, passage.span)]
        elif how == "cls":
            return tokens[0]
        else:
            rows = tokens[before : len(tokens) - behind]
        pooled = {"mean": rows.mean(0), "max": rows.max(0), "first": rows[0], "last": rows[-1]}
        return pooled[how]
