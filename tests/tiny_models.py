"""Transformers of a few thousand weights, with real tokenizers trained on a few sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ADDED = {"bert": (1, 1), "gpt2": (0, 0), "t5": (0, 1), "llama": (1, 0)}
"""Special tokens before and behind a text."""
LAYERS = 3
UNKNOWN = "<unk>"
TEXTS = (
    "This is an aster. These are asters. That is New York.",
    "The orchid is here; orchids are there. The people are in New York City.",
    "It is Ann's wasp, isn't it? A naïve café, or the centipede's.",
    "love peace hatred war bluebell iris ivy hyacinth",
)


def make_model(folder: Path, family: str, auto: str = "AutoModel", **settings: Any) -> Path:
    """Write a randomly initialised model and its tokenizer as `transformers` does."""
    import torch
    import transformers

    tokenizer = make_tokenizer(family)
    tokenizer.save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        model = getattr(transformers, auto).from_config(_config(family, len(tokenizer), **settings))
        model.save_pretrained(folder)
    return folder


def make_tokenizer(family: str) -> Any:
    """A fast tokenizer of the family's kind; words of the training text fall into pieces."""
    from transformers import PreTrainedTokenizerFast

    kind = {"gpt2": _bytes, "llama": _spaces, "bert": _pieces, "t5": _unigrams}
    made, special = kind[family]()
    left = {"padding_side": "left"} if family == "llama" else {}
    limits = {"t5": 512}
    return PreTrainedTokenizerFast(
        tokenizer_object=made, **special, **left, model_max_length=limits.get(family, 10**30)
    )


def _pieces() -> tuple[Any, dict[str, str]]:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    special = {"unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "pad": "[PAD]", "mask": "[MASK]"}
    made = Tokenizer(models.WordPiece(unk_token=special["unk"]))
    made.normalizer = normalizers.BertNormalizer(lowercase=False)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=110, special_tokens=list(special.values()), show_progress=False
    )
    made.train_from_iterator(TEXTS, trainer)
    _wrap(made, "[CLS] $A [SEP]")
    return made, {f"{key}_token": value for key, value in special.items()}


def _bytes() -> tuple[Any, dict[str, str]]:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    end = "<|endoftext|>"
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=[end],
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    made.train_from_iterator(TEXTS, trainer)
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    return made, {"bos_token": end, "eos_token": end}


def _spaces() -> tuple[Any, dict[str, str]]:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

    made = Tokenizer(models.BPE(unk_token=UNKNOWN))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.pre_tokenizer = pre_tokenizers.Split(Regex("▁"), "merged_with_next")
    trainer = trainers.BpeTrainer(
        vocab_size=120, special_tokens=[UNKNOWN, "<s>", "</s>"], show_progress=False
    )
    made.train_from_iterator(TEXTS, trainer)
    _wrap(made, "<s> $A")
    return made, {"bos_token": "<s>", "eos_token": "</s>", "unk_token": UNKNOWN}


def _unigrams() -> tuple[Any, dict[str, str]]:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=90,
        special_tokens=["<pad>", "</s>", UNKNOWN],
        unk_token=UNKNOWN,
        show_progress=False,
    )
    made.train_from_iterator(TEXTS * 4, trainer)
    _wrap(made, "$A </s>")
    return made, {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": UNKNOWN}


def _wrap(made: Any, template: str) -> None:
    from tokenizers import processors

    special = [(one, made.token_to_id(one)) for one in template.split() if one != "$A"]
    made.post_processor = processors.TemplateProcessing(single=template, special_tokens=special)


def _config(family: str, words: int, **settings: Any) -> Any:
    from transformers import AutoConfig

    usual = {"hidden_size": 16, "num_hidden_layers": LAYERS, "num_attention_heads": 2}
    own = {
        "bert": {**usual, "intermediate_size": 32, "max_position_embeddings": 40},
        "gpt2": {"n_embd": 16, "n_layer": LAYERS, "n_head": 2, "n_positions": 40},
        "t5": {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": LAYERS, "num_heads": 2},
        "llama": {
            **usual, "intermediate_size": 32, "num_key_value_heads": 1,
            "max_position_embeddings": 64,
        },
    }[family]  # fmt: skip
    pads = {"bert": 4, "t5": 0}
    # the weights that transformers draws by default are so small that all texts look alike
    wide = {"initializer_factor": 2.0} if family == "t5" else {"initializer_range": 0.4}
    return AutoConfig.for_model(
        family,
        vocab_size=words,
        pad_token_id=pads.get(family),
        **{**own, **wide, **settings},
    )
