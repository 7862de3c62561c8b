from .engine.scan import scan as scan
from .results.confirming import confirmations as confirmations
from .results.themes import read_scan as read_scan
from .sources.cost import transform_cost as transform_cost
from .sources.diagnosis import diagnose as diagnose, residual_bias as residual_bias
