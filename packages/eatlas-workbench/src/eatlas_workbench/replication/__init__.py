"""A replication of published tables: by a paper's recipe, beside what is printed."""

from eatlas_workbench.replication.page import write_replication
from eatlas_workbench.replication.replicate import replicate

__all__ = ["replicate", "write_replication"]
