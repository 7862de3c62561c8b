from .apps.annotation import (
    load_items as load_items,
    read_labels as read_labels,
    sample_items as sample_items,
    serve_items as serve_items,
)
from .apps.atlas import write_atlas as write_atlas
from .apps.explorer import explore as explore
from .apps.on_ray import OnRay as OnRay
from .apps.protocol.card import write_card as write_card
from .apps.protocol.census_table import census_table as census_table
from .apps.protocol.evidence import read_card as read_card
from .apps.protocol.running import protocol as protocol
from .apps.replication.page import write_replication as write_replication
from .apps.replication.replicate import replicate as replicate
from .apps.views import (
    Views as Views,
    read_views as read_views,
    views as views,
    write_views as write_views,
)
from .apps.studies import Study as Study, multiverse as multiverse, read_study as read_study
from .corpora import (
    Contexts as Contexts,
    Pairs as Pairs,
    find_contexts as find_contexts,
    find_pairs as find_pairs,
    load_contexts as load_contexts,
    load_pairs as load_pairs,
    with_contexts as with_contexts,
)
from .encoders.language import language_model as language_model
from .encoders.objects import encoder as encoder
from .engine import run as run
from .engine.asking import ask_cost as ask_cost
from .engine.generating import generate as generate
from .engine.scan import scan as scan
from .engine.embedding import embed as embed
from .engine.embedding_regression import embedding_regression as embedding_regression
from .engine.text import count_text as count_text
from .engine.verify import verify as verify
from .errors import EatlasError as EatlasError, EatlasWarning as EatlasWarning
from .measures import (
    Ask as Ask,
    Assign as Assign,
    CEAT as CEAT,
    ECT as ECT,
    FMAT as FMAT,
    LPBS as LPBS,
    LPBSCEAT as LPBSCEAT,
    MAC as MAC,
    MLEAT as MLEAT,
    PMI as PMI,
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
    PLL as PLL,
    ZeroShot as ZeroShot,
    get_measure as get_measure,
)
from .measures.inference import power as power
from .present import write_report as write_report
from .present.drawings.plot import plot as plot
from .results import Results as Results, read_results as read_results
from .results.themes import read_scan as read_scan
from .sources import ArraySource as ArraySource, open_vectors as open_vectors
from .sources.cost import transform_cost as transform_cost
from .sources.diagnosis import diagnose as diagnose, residual_bias as residual_bias
from .sources.published import fetch_vectors as fetch_vectors
from .sources.opening import transformed as transformed
from .sources.writing import write_vectors as write_vectors
from .stats.permutation import permutation_test as permutation_test
from .stimuli import (
    AssociationTest as AssociationTest,
    Concept as Concept,
    GroupsTest as GroupsTest,
    SentencePairsTest as SentencePairsTest,
    load_tests as load_tests,
)
from .stimuli.batteries import tests as tests
from .version import __version__ as __version__
