"""Topics: declared in one file each, and kept in step with Kafka.

Loading needs no Kafka and is all that views and drivers use. The admin step is imported from where it lives:

    from headwater.topics.applying import apply
    from headwater.topics.plan import plan

    apply(settings, plan(settings, load_topics()))
"""

from headwater.topics.loading import load_topic, load_topics
from headwater.topics.topic import Topic, TopicField

__all__ = ["Topic", "TopicField", "load_topic", "load_topics"]
