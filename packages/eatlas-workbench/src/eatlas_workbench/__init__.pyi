from .annotation import (
    load_items as load_items,
    read_labels as read_labels,
    sample_items as sample_items,
    serve_items as serve_items,
)
from .atlas import write_atlas as write_atlas
from .cards.card import write_card as write_card
from .cards.census_table import census_table as census_table
from .cards.evidence import read_card as read_card
from .cards.running import protocol as protocol
from .explorer import explore as explore
from .on_ray import OnRay as OnRay
from .replication.page import write_replication as write_replication
from .replication.replicate import replicate as replicate
from .studies import Study as Study, multiverse as multiverse, read_study as read_study
