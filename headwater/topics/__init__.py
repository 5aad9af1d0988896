"""Topics: declared in one file each, and kept in step with Kafka."""

from headwater.topics.loading import load_topic, load_topics
from headwater.topics.topic import Topic, TopicField

__all__ = ["Topic", "TopicField", "load_topic", "load_topics"]
