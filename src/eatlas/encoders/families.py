"""Kinds of transformers, and how the papers make a vector of what each computes."""

from __future__ import annotations

import re
from dataclasses import dataclass

DECODERS = frozenset(
    (
        "bloom", "codegen", "cohere", "cohere2", "ctrl", "deepseek_v2", "deepseek_v3", "exaone",
        "falcon", "falcon_h1", "falcon_mamba", "gemma", "gemma2", "gemma3_text", "glm", "glm4",
        "gpt2", "gpt_bigcode", "gpt_neo", "gpt_neox", "gpt_neox_japanese", "gpt_oss", "gptj",
        "granite", "granitemoe", "helium", "jamba", "jetmoe", "llama", "mamba", "mamba2",
        "mistral", "mixtral", "mpt", "nemotron", "olmo", "olmo2", "olmo3", "olmoe",
        "openai-gpt", "opt", "persimmon", "phi", "phi3", "phimoe", "qwen2", "qwen2_moe",
        "qwen3", "qwen3_moe", "recurrent_gemma", "rwkv", "smollm3", "stablelm", "starcoder2",
        "xglm", "zamba", "zamba2",
    )
)  # fmt: skip
"""Model types of config.json that read a text from left to right."""
ENCODERS = frozenset(
    (
        "albert", "bert", "big_bird", "camembert", "convbert", "data2vec-text", "deberta",
        "deberta-v2", "distilbert", "electra", "ernie", "esm", "eurobert", "flaubert", "funnel",
        "ibert", "layoutlm", "longformer", "luke", "megatron-bert", "mobilebert", "modernbert",
        "mpnet", "mra", "nezha", "nystromformer", "qdqbert", "rembert", "roberta",
        "roberta-prelayernorm", "roc_bert", "roformer", "splinter", "squeezebert", "xlm",
        "xlm-roberta", "xlm-roberta-xl", "xlnet", "xmod", "yoso",
    )
)  # fmt: skip
"""Model types whose every token sees the whole text."""
_DECODER_CLASS = re.compile(r"(ForCausalLM|LMHeadModel|DoubleHeadsModel)$")
_ENCODER_CLASS = re.compile(r"For(MaskedLM|PreTraining|QuestionAnswering|TokenClassification)$")


@dataclass(frozen=True)
class Family:
    """A kind of transformer, and its defaults; the top layer is the default of all."""

    name: str
    pool: str
    """How the tokens of a text become one vector."""
    subword: str
    """How the pieces of a stimulus become one vector."""


ENCODER = Family("encoder", pool="cls", subword="mean")
"""[CLS]: May et al. 2019, table 3. Mean of the pieces: Husse and Spitz 2022, section 3."""
DECODER = Family("causal", pool="last", subword="last")
"""Only the last token has seen the whole text: May et al. 2019, appendix; the last piece of the
stimulus: GPT-2 in ML-EAT."""
ENCODER_DECODER = Family("encoder-decoder", pool="mean", subword="mean")
"""T5 has no [CLS], and the mean of the encoder beats its first token (Ni et al. 2022,
Sentence-T5)."""


def family_of(model_type: str, architecture: str, *, both: bool) -> Family | None:
    """Tell the family of a model by what its configuration says; None where that is not known.

    Parameters
    ----------
    model_type, architecture : str
        Such as ``bert`` and ``BertForMaskedLM``.
    both : bool
        Whether it has an encoder and a decoder.

    Examples
    --------
    >>> family_of("gpt2", "GPT2LMHeadModel", both=False).pool
    'last'
    """
    if both:
        return ENCODER_DECODER
    if model_type in DECODERS:
        return DECODER
    if model_type in ENCODERS:
        return ENCODER
    if _DECODER_CLASS.search(architecture):
        return DECODER
    return ENCODER if _ENCODER_CLASS.search(architecture) else None
