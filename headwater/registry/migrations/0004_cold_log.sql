-- What replays from the cold log need to remember.

ALTER TABLE versions ADD COLUMN stitches jsonb NOT NULL DEFAULT '{}';
COMMENT ON COLUMN versions.stitches IS 'Where Kafka took over from the cold log, by topic and partition; its first batch read from starting_offsets up to there in the cold log.';
