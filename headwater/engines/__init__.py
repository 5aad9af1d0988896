"""Engines: where drivers run. One interface, so that nothing else knows which cluster it is."""

from headwater.engines.engine import ClusterSilent, Engine, Submission
from headwater.engines.standalone import Standalone

__all__ = ["ClusterSilent", "Engine", "Standalone", "Submission"]
