import typing

from .encoders.objects import encoder as encoder
from .engine import run as run
from .engine.verify import verify as verify
from .errors import EatlasError as EatlasError, EatlasWarning as EatlasWarning
from .measures import (
    ECT as ECT,
    MAC as MAC,
    MLEAT as MLEAT,
    RIPA as RIPA,
    RND as RND,
    RNSB as RNSB,
    SAME as SAME,
    SCEAT as SCEAT,
    WEAT as WEAT,
    DirectBias as DirectBias,
    DivDist as DivDist,
    GeneralisedWEAT as GeneralisedWEAT,
    IndirectBias as IndirectBias,
    SemAxis as SemAxis,
    get_measure as get_measure,
    list_measures as list_measures,
)
from .measures.inference import power as power
from .present import write_report as write_report
from .present.drawings.plot import plot as plot
from .results import Results as Results, read_results as read_results
from .sources import ArraySource as ArraySource, open_vectors as open_vectors
from .sources.downloads import fetch_vectors as fetch_vectors
from .sources.opening import transformed as transformed
from .sources.writing import write_vectors as write_vectors
from .stats.permutation import permutation_test as permutation_test
from .stimuli import (
    AssociationTest as AssociationTest,
    Concept as Concept,
    GroupsTest as GroupsTest,
    SentencePairsTest as SentencePairsTest,
    SentenceTriplesTest as SentenceTriplesTest,
    load_tests as load_tests,
)
from .stimuli.batteries import tests as tests
from .version import __version__ as __version__

# names of packages that are installed beside the core
def __getattr__(name: str) -> typing.Any: ...
