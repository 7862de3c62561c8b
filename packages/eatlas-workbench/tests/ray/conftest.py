"""A real Ray cluster of two nodes on this machine."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def ray() -> ModuleType:
    """Ray, which leaves the workers of these tests alone."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
    # or Ray ends workers when others take the memory of the machine
    os.environ["RAY_memory_monitor_refresh_ms"] = "0"  # noqa: SIM112  (its own spelling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ray
    return ray


@pytest.fixture(scope="session")
def nodes(ray: ModuleType) -> Iterator[Any]:
    """A cluster for all tests; starting one takes longer than most of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ray.cluster_utils import Cluster

        memory = {"object_store_memory": 100 * 2**20, "num_cpus": 1, "include_dashboard": False}
        made = Cluster(initialize_head=True, head_node_args=memory)
        yield made
        made.shutdown()


@pytest.fixture
def cluster(ray: ModuleType, nodes: Any) -> Iterator[Any]:
    """Two nodes of one processor, so that of two workers each has a node of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not nodes.worker_nodes:
            nodes.add_node(num_cpus=1, object_store_memory=100 * 2**20)
        yield nodes
        ray.shutdown()
