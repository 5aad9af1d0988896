"""Engines: where drivers run. One interface, so that nothing else knows which cluster it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.engines.engine import ClusterSilent, Engine, Submission
from headwater.engines.standalone import Standalone
from headwater.errors import Refusal

if TYPE_CHECKING:
    from headwater.engines.emr_jobs import EmrJobs
    from headwater.settings import Settings

__all__ = ["ClusterSilent", "Engine", "Standalone", "Submission", "engine_of", "jobs_of"]


def engine_of(settings: Settings) -> Engine:
    """Return the engine of an environment: the scheme of its master's address says which."""
    match _scheme(settings):
        case "spark":
            return Standalone(settings)
        case "emr-serverless":
            from headwater.engines.emr_serverless import EmrServerless  # takes AWS's library along

            return EmrServerless(settings)
        case scheme:
            raise Refusal(
                f'there is no engine "{scheme}"',
                detail=f"The environment's master is {settings.spark_master}.",
                hint="It begins with spark:// or emr-serverless://.",
            )


def jobs_of(settings: Settings) -> EmrJobs | None:
    """Return where bounded jobs run; nothing where they run beside whoever asks for them."""
    if _scheme(settings) != "emr-serverless":
        return None
    from headwater.engines.emr_jobs import EmrJobs  # takes AWS's library along

    return EmrJobs(settings)


def _scheme(settings: Settings) -> str:
    return settings.spark_master.split("://")[0]
