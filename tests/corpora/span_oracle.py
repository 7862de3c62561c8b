"""Counts of associations by plain loops and regular expressions; nothing of eatlas is in it."""

import re
from collections import Counter

SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])|\n\s*\n\s*")
"""Where sentences part in texts without abbreviations, initials and quotation marks."""


def spellings(word):
    """A word in lower case is found with a capital and in capitals too; others as written."""
    return {word, word.capitalize(), word.upper()} if word == word.lower() else {word}


def occurs(words, text):
    every = {one for word in words for one in spellings(word)}
    return bool(re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, every))})(?!\w)", text))


def spans_of(document, size):
    sentences = [one for one in SENTENCE.split(document.strip()) if one.strip()]
    starts = range(0, len(sentences), size)
    return len(sentences), [" ".join(sentences[k : k + size]) for k in starts]


def count(documents, targets, families, size=3):
    """Outcomes by (target, family, outcome), and the four totals."""
    found, totals = Counter(), Counter()
    for document in documents:
        sentences, spans = spans_of(document, size)
        totals["documents"] += bool(document.split())
        totals["sentences"] += sentences
        totals["spans"] += len(spans)
        totals["tokens"] += len(document.split())
        for span in spans:
            for number, family in enumerate(families):
                present = [name for name, words in family.items() if occurs(words, span)]
                outcome = present[0] if len(present) == 1 else "several" if present else "none"
                for target in targets:
                    if occurs([target], span):
                        found[target, number, outcome] += 1
    return found, totals
