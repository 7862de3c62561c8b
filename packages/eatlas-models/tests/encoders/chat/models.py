"""Tiny causal models of several families, with chat templates, and what they answer one by one."""

from __future__ import annotations

import math
import warnings
from functools import cache

from tests.encoders.language import tiny
from tests.tiny_models import make_tokenizer

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
INST = (
    "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
    "{% else %} {{ m.content }} </s>{% endif %}{% endfor %}"
)
"""As Llama 2 has it: an answer begins with a space."""
FAMILIES = {
    "gpt2": {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 256},
    "llama": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
              "intermediate_size": 32, "num_key_value_heads": 1},
    "mistral": {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
                "intermediate_size": 32, "num_key_value_heads": 1, "sliding_window": 8},
    "mamba": {"hidden_size": 16, "num_hidden_layers": 2, "state_size": 4},
}  # fmt: skip


def tokenizer_of(template: str | None = CHATML, kind: str = "gpt2"):
    tokenizer = tiny.gpt2()[1] if kind == "gpt2" else make_tokenizer(kind)
    tokenizer = type(tokenizer)(
        tokenizer_object=tokenizer.backend_tokenizer,
        **{name: getattr(tokenizer, name) for name in ("bos_token", "eos_token")},
    )
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>", "<|im_end|>"]})
    tokenizer.chat_template = template
    return tokenizer


@cache
def made(family: str = "gpt2", template: str | None = CHATML, kind: str = "gpt2"):
    """A model of random weights and its tokenizer."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    tokenizer = tokenizer_of(template, kind)
    config = AutoConfig.for_model(
        family, vocab_size=len(tokenizer), initializer_range=0.4, bos_token_id=0, eos_token_id=0,
        pad_token_id=None, **FAMILIES[family],
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(5)
        return AutoModelForCausalLM.from_config(config).eval(), tokenizer


def following(pair, before: str, text: str, begin: tuple[int, ...] = ()) -> float:
    """Probability that a text follows another, read whole and alone."""
    import torch

    model, tokenizer = pair
    first = [*begin, *tokenizer(before, add_special_tokens=False).input_ids]
    whole = [*begin, *tokenizer(before + text, add_special_tokens=False).input_ids]
    assert whole[: len(first)] == first
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([whole]), use_cache=False).logits[0].double()
    chances = torch.log_softmax(logits, dim=-1)
    places = range(len(first), len(whole))
    return math.exp(sum(float(chances[at - 1, whole[at]]) for at in places))
