-- What the batch layer holds, and what it has done.

CREATE TABLE batch_days (
    query text NOT NULL REFERENCES versions (query),
    day date NOT NULL,
    rows bigint NOT NULL,
    offsets jsonb NOT NULL,
    difference jsonb NOT NULL,
    computed_at timestamptz NOT NULL DEFAULT now(),
    served boolean NOT NULL DEFAULT true,
    PRIMARY KEY (query, day)
);
COMMENT ON TABLE batch_days IS 'The closed days that the batch layer holds of each version of a view.';
COMMENT ON COLUMN batch_days.served IS 'Readers have it from the batch layer; not if a person has withdrawn it.';
COMMENT ON COLUMN batch_days.offsets IS 'Up to where the log was read, by topic and partition.';
COMMENT ON COLUMN batch_days.difference IS 'The rows of the day against those of the speed layer: counts, and samples of what differs.';

CREATE TABLE batch_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    began_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now(),
    outcomes jsonb NOT NULL
);
COMMENT ON TABLE batch_runs IS 'Every run of the batch layer, with what came of each day of each view.';
