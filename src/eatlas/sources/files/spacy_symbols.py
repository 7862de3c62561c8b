"""Words that spaCy knows by a number of its own: it neither hashes them nor lists them.

Among them are words of every vocabulary, such as agent, mark, number and root. The numbers are part
of what spaCy stores on disk, so they do not change between its versions (checked with 3.8).
"""

from __future__ import annotations

# the number of the first, and the words
_RUNS = {
    1: """IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_PUNCT IS_SPACE IS_TITLE IS_UPPER LIKE_URL LIKE_NUM
    LIKE_EMAIL IS_STOP IS_OOV_DEPRECATED IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT
    IS_CURRENCY""",
    64: """ID ORTH LOWER NORM SHAPE PREFIX SUFFIX LENGTH CLUSTER LEMMA POS TAG DEP ENT_IOB ENT_TYPE
    HEAD SENT_START SPACY PROB LANG ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN
    PUNCT SCONJ SYM VERB X EOL SPACE""",
    380: """PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT WORK_OF_ART LANGUAGE LAW DATE TIME
    PERCENT MONEY QUANTITY ORDINAL CARDINAL acomp advcl advmod agent amod appos attr aux
    auxpass cc ccomp complm conj cop csubj csubjpass dep det dobj expl hmod hyph infmod
    intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num number oprd obj obl
    parataxis partmod pcomp pobj poss possessive preconj prep prt punct quantmod relcl
    rcmod root xcomp acl ENT_KB_ID MORPH ENT_ID IDX _""",
}
_FLAGS = {f"FLAG{number}": number for number in range(19, 64)}

SYMBOLS: dict[str, int] = _FLAGS | {
    word: number
    for first, words in _RUNS.items()
    for number, word in enumerate(words.split(), first)
}
"""Keys of the words that are symbols."""
