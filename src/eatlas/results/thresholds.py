"""When a space makes cosines doubtful: limits, each with the evidence for it.

From ``benchmarks/anisotropy_study.py``: tests of 8 terms a group with a planted EAT pattern, in
spaces of growing anisotropy. A limit is where the pattern is named rightly in 80% of the tests in
which it is without anisotropy. The tables are in the documentation, under Diagnosis.
"""

from __future__ import annotations

MEAN_COSINE = 0.3
"""Mean cosine of random pairs of a source; of one test, the smallest of its four level 3 means,
because words of one topic raise the others in any space. 80% is reached at .32 with a vector that
all words share, at .33 with three loud dimensions with means, at .24 with one; level 2 and with it
the pattern dissolve into differences of length, while level 1 holds."""
ISO_SCORE = 0.2
"""IsoScore, from above. 80% is reached at .16 with one loud dimension, .33 with three and .13 with
a power law of the principal components; level 1 is lost further on. The estimate from the terms of
one test has the same limit; of 25 tests of four groups on GloVe 6B of 50 and 100 dimensions, where
the IsoScore is .77 and .58, it is lowest for weat-9, .39."""
LOUD_DIMENSION = 0.25
"""Share of one dimension in the squared length. With one loud dimension 80% is reached at .18
(no mean) to .25 (with a mean). GloVe 6B of 50 dimensions has .18 among the words of weat-7."""
LOUD_RATIO = 5.0
"""How many times its even share, 1 / d, a loud dimension must also have: in spaces of fewer than
20 dimensions a quarter is nothing unusual."""
ROGUE_SHARE = 0.5
"""Share of one dimension in the mean cosine, from which on it is named as the cause. It says
nothing where the mean is small: dimension 30 of GloVe 6B, 50 dimensions, has 73% of a mean of
.22."""
SHARED_MEAN = 0.05
"""Mean cosine below which shares of it are noise: contributions of both signs cancel."""
ALIKE_MEAN, ALIKE_SD = 0.9, 0.05
"""Level 3 means and standard deviations by which Wolfe, Hiniker and Howe (2024) call GPT-2
unsuited to cosines. In their Tables 3 and 5 to 8, GPT-2 base and medium have means of .97 to .99
with standard deviations up to .02; the models that they accept have means up to .51."""
HUBNESS = 3.0
"""Skewness of the 10-occurrence. 10,000 isotropic vectors of 50 to 300 dimensions have .3; above
about 3 a few vectors are neighbours of a great part of the vocabulary. For the reader's eye: no
pattern was lost to hubs as such."""
