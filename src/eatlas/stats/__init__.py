"""Statistics on plain arrays: permutation tests, effect sizes, multiplicity; no names here.

:mod:`effect_size` computes d and combines many; the room `permutation` its p-value;
:mod:`bootstrap` intervals over other stimuli, :mod:`facets` the test over them;
:mod:`multiplicity` adjusted p-values; :mod:`designs` what a test can find; :mod:`correlation` what
two lists of numbers have in common.
"""
