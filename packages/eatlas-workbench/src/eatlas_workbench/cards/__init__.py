"""The testing protocol: eight criteria as studies of any measure, and the measure card.

What is asked is data (``data/studies.toml``). A study is a function of a :mod:`material` that
yields figures and no verdict: in :mod:`content` (with face validity), :mod:`convergent` (with
sensitivity), and :mod:`outside` (with a census, texts and labels), most of them over the
:mod:`numbers` of targets. :mod:`running` runs them and makes the :mod:`evidence` of a :mod:`card`.
"""
