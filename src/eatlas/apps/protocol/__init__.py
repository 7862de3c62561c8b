"""The testing protocol: eight criteria as studies of any measure, and the measure card.

What is asked is data (:mod:`studies`). A study is a function of a :mod:`material` that yields
figures and no verdict: in :mod:`face`, :mod:`content`, :mod:`convergent` (with sensitivity),
:mod:`predictive`, :mod:`hypothesis` and :mod:`people`, most of them over the :mod:`numbers` of
targets. :mod:`running` runs them and makes the :mod:`card`.
"""
