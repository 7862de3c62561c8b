"""Statistics on plain arrays: permutation tests, effect sizes, multiplicity; no names here.

:mod:`effect_size` and :mod:`weighted` compute d; the room `permutation` its p-value;
:mod:`bootstrap`, :mod:`resampling` and :mod:`clusters` intervals over other stimuli;
:mod:`multiplicity` and :mod:`max_t` adjusted p-values; :mod:`power`, :mod:`designs` and
:mod:`equivalence` what a test can find; :mod:`meta` and :mod:`draws` many effects together.
"""
