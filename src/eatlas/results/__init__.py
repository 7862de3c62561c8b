"""What a measure found: frozen records with provenance, tidy tables and versioned JSON.

A record is a :mod:`base` with what its measure found (:mod:`embedding_tests`, :mod:`targets`,
:mod:`trend`); records share :mod:`parts` and :mod:`levels`, and list their
:mod:`effects`. A :mod:`collection` holds many and adjusts their p-values, :mod:`compare` puts them
side by side, and :mod:`json_lines` are their files.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
