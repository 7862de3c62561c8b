"""Many jobs, one run: each test on each source by each measure.

A :mod:`plan` resolves and checks what is to be done, :mod:`execution` does its jobs,
:mod:`measuring` is one of them, and a :mod:`store` keeps what is done. :mod:`readers` look up
vectors and what else measures need, :mod:`frequency` what is known of the words, :mod:`references`
what groups are compared with; :mod:`trends` says what a series shows. :mod:`verify` computes old
results again.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
