"""What happens to a finding when its words change: a page for one person on this machine.

The page sends words; a result is computed by the same code as in ``eatlas run``, and the answer is
HTML with the drawings of the report. :mod:`measuring` has the words, what a page may send, and
the results; :mod:`page` what is shown, :mod:`served` the application, and the same from Python.
"""

from eatlas_workbench.explorer.measuring import Explorer
from eatlas_workbench.explorer.served import ExplorerPage, explore

__all__ = ["Explorer", "ExplorerPage", "explore"]
