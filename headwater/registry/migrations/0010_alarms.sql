-- An alarm is a row first, and on the topic `alerts` as soon as Kafka takes it.
ALTER TABLE alarms ADD COLUMN told text CHECK (told IN ('raised', 'cleared'));
COMMENT ON COLUMN alarms.told IS 'What the topic `alerts` knows of it; null: nothing yet.';
UPDATE alarms SET told = CASE WHEN cleared_at IS NULL THEN 'raised' ELSE 'cleared' END;
