"""Change data capture: the rows of the shop's database, as they change, in the log."""

from headwater.capture.following import follow, unfollow
from headwater.capture.watching import look_after

__all__ = ["follow", "look_after", "unfollow"]
