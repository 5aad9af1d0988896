-- What maintenance has done.

CREATE TABLE maintenance (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    began_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now(),
    dry_run boolean NOT NULL,
    outcomes jsonb NOT NULL
);
COMMENT ON TABLE maintenance IS 'Every run of maintenance, with each step and what came of it; of a dry run, what would have been done.';
