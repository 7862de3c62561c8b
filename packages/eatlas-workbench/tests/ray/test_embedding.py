"""A corpus that is embedded on Ray gives the same file."""

import sys

import pytest
from tests.embedding.test_kept import corpus, embed, whole  # noqa: F401  (fixtures)

from eatlas import OnRay


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(sys.platform != "linux", reason="Ray's test cluster")
@pytest.mark.xdist_group("ray")
def test_ray_gives_the_same_bytes(corpus, whole, tmp_path, cluster):  # noqa: F811
    out = tmp_path / "ray.npz"
    embed(corpus, out, executor=OnRay(cluster.address))
    assert out.read_bytes() == whole
