"""The plain way: transformers on one text at a time, without padding; spans found by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.tiny_models import ADDED


@dataclass
class SlowLoop:
    """A model and its tokenizer as transformers loads them by itself."""

    tokenizer: Any
    module: Any
    added: tuple[int, int]
    """Special tokens before and behind a text."""

    @classmethod
    def of(cls, folder, family):
        from transformers import AutoModel, AutoTokenizer

        whole = AutoModel.from_pretrained(folder)
        module = whole.get_encoder() if family == "t5" else whole
        return cls(AutoTokenizer.from_pretrained(folder), module.eval(), ADDED[family])

    def states(self, text):
        """Hidden states of all layers, shape (layers + 1, tokens, dim)."""
        import torch

        ids = self.tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            out = self.module(input_ids=ids, output_hidden_states=True)
        return np.stack([state[0].numpy() for state in out.hidden_states])

    def tokens(self, text, span):
        """Numbers of the tokens that hold a letter of the stimulus, not those of a mere space."""
        given = self.tokenizer(text)
        held = [given.char_to_token(i) for i in range(*span) if not text[i].isspace()]
        pieces = given.tokens()
        return sorted({one for one in held if one is not None and pieces[one] != "▁"})

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
