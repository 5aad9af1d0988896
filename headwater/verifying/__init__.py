"""Is what is served what the log says: `headwater verify`, in words.

    slices     the stretch of time that a person asks for
    telling    what the replay of it has found

The replay itself is a Spark job: `spark_apps/verifying.py`.
"""

from headwater.verifying.slices import read_slice
from headwater.verifying.telling import Verification

__all__ = ["Verification", "read_slice"]
