"""Tiny language models with random weights and real tokenizers."""

from __future__ import annotations

import warnings
from functools import cache

CORPUS = [
    "ivy is nice .", "ant is vile .", "rose likes peace .", "flea likes war .",
    "The rose person is kind .", "They are interested in love .", "It is awful .",
    "tulips are lovely .", "wasps are nasty .", "Somebody likes joy .", "hornets are unlovely .",
] * 3  # fmt: skip
WORD_PIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "is", "are", "likes", "like", "the",
    "person", "people", "they", "it", "in", "interested", "ant", "ants", "rose", "flea", "fleas",
    "nice", "vile", "kind", "peace", "war", "and", "love", "joy", "##s", "tul", "##ip", "iv",
    "##y", "wasp", "hornet", "un", "##lovely", "##ely", "aw", "##ful", "nasty", "some", "##body",
    "lov", "##bud", "##like", "he", "she", "man", "woman", "career", "home", "##ly",
]  # fmt: skip
"""Fixed, since training word pieces breaks ties in an order of its own."""


def _quietly(build):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, tokenizer = build()
        return model.eval(), tokenizer


@cache
def bert():
    """A masked model with word pieces, lower case."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

    def build():
        vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(WORD_PIECES))}
        cutting = BertWordPieceTokenizer(vocabulary, lowercase=True)
        tokenizer = BertTokenizerFast(tokenizer_object=cutting._tokenizer, model_max_length=64)
        config = BertConfig(
            vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=32, max_position_embeddings=64, initializer_range=0.8,
        )  # fmt: skip
        torch.manual_seed(1)
        return BertForMaskedLM(config), tokenizer

    return _quietly(build)


@cache
def roberta():
    """A masked model with byte pieces, whose first piece of a word holds the space before it."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import RobertaProcessing
    from transformers import RobertaConfig, RobertaForMaskedLM, RobertaTokenizerFast

    def build():
        trained = ByteLevelBPETokenizer()
        specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        trained.train_from_iterator(CORPUS, vocab_size=300, special_tokens=specials)
        # transformers 5 adds it by itself
        trained._tokenizer.post_processor = RobertaProcessing(
            ("</s>", 2), ("<s>", 0), add_prefix_space=False
        )
        tokenizer = RobertaTokenizerFast(tokenizer_object=trained._tokenizer, model_max_length=64)
        config = RobertaConfig(
            vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=32, max_position_embeddings=66, initializer_range=0.8, pad_token_id=1,
        )  # fmt: skip
        torch.manual_seed(2)
        return RobertaForMaskedLM(config), tokenizer

    return _quietly(build)


@cache
def gpt2():
    """A causal model."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import GPT2Config, GPT2LMHeadModel, GPT2TokenizerFast

    def build():
        trained = ByteLevelBPETokenizer()
        trained.train_from_iterator(CORPUS, vocab_size=300, special_tokens=["<|endoftext|>"])
        tokenizer = GPT2TokenizerFast(tokenizer_object=trained._tokenizer, model_max_length=64)
        config = GPT2Config(
            vocab_size=len(tokenizer), n_embd=16, n_layer=2, n_head=2, n_positions=64,
            initializer_range=0.8, bos_token_id=0, eos_token_id=0,
        )  # fmt: skip
        torch.manual_seed(3)
        return GPT2LMHeadModel(config), tokenizer

    return _quietly(build)
