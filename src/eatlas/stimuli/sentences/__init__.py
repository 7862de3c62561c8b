"""Sentences of words: templates, the classes and forms of words, and tests made of both."""

from eatlas.stimuli.sentences.filling import sentence_tests

__all__ = ["sentence_tests"]
