"""A replication of published tables: what is computed beside what is printed."""

from eatlas.apps.replication.replicate import replicate, write_replication

__all__ = ["replicate", "write_replication"]
