-- What supervision needs to judge each query by itself, and a submission that nobody wrote down.

ALTER TABLE heartbeats ADD COLUMN looked_at timestamptz, ADD COLUMN phase_at timestamptz DEFAULT now();
ALTER TABLE heartbeats ADD COLUMN lag_seen bigint;
COMMENT ON COLUMN heartbeats.looked_at IS 'When it last came to the end of a look at the log: with a batch, or because it had read all there is.';
COMMENT ON COLUMN heartbeats.phase_at IS 'Since when it is in this phase: time that it waited for its turn does not count against it.';
COMMENT ON COLUMN heartbeats.lag_seen IS 'How many records it had to read when supervision last looked.';
ALTER TABLE apps DROP COLUMN lag_seen;

ALTER TABLE apps ADD COLUMN submitting text[];
COMMENT ON COLUMN apps.submitting IS 'The drivers that the cluster had when a submission began; null once it is written down what came of it.';
