from .encoders.language import language_model as language_model
from .engine.asking import ask_cost as ask_cost
from .engine.benchmarks import agreement as agreement, read_logs as read_logs
from .engine.generating import generate as generate
from .measures.ask import Ask as Ask
from .measures.assign import Assign as Assign
from .measures.cat import CAT as CAT
from .measures.fmat import FMAT as FMAT
from .measures.lpbs import LPBS as LPBS
from .measures.lpbs_ceat import LPBSCEAT as LPBSCEAT
from .measures.pll import PLL as PLL
from .measures.zero_shot import ZeroShot as ZeroShot
from .model_views import (
    Views as Views,
    read_views as read_views,
    views as views,
    write_views as write_views,
)
