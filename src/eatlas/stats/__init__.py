"""Statistics on plain arrays: permutation tests, effect sizes, multiplicity; no names here.

:mod:`effect_size` computes d; the room `permutation` its p-value;
:mod:`bootstrap` intervals over other stimuli, :mod:`crossed` the test over them;
:mod:`multiplicity` adjusted p-values; :mod:`designs` what a test can find; :mod:`random_effects`
many effects together.
"""
