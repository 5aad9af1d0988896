"""The notifier: every alert becomes one notification, and people hear of it.

    alerts ──► notify ──► notifications ──► a channel each: log line, e-mail, webhook
               exactly once                 at least once, with a key to tell repeats by

The first step is one Kafka transaction, which holds the notifications and how far the alerts were read: a
crash leaves both or neither. What leaves Kafka cannot be part of it, so the second step may tell the same
twice, and says so (docs/notifications.md).
"""

from headwater.notifier.channels import chosen_channels
from headwater.notifier.route import Route
from headwater.notifier.running import run

__all__ = ["Route", "chosen_channels", "run"]
