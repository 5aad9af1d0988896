-- A key for each person, and what became of it.

CREATE TABLE people (
    person text PRIMARY KEY,
    wrapped_key bytea,
    known_since timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE people IS 'The key that each person''s data is sealed with, wrapped by a key that is not in this database.';
COMMENT ON COLUMN people.wrapped_key IS 'Null: destroyed. The row stays, so that the same id never gets another key.';

CREATE TABLE erasures (
    person text PRIMARY KEY,
    reason text NOT NULL,
    asked_by text NOT NULL,
    begun_at timestamptz NOT NULL DEFAULT now(),
    sought bytea,
    done jsonb NOT NULL DEFAULT '{}',
    proof jsonb,
    proved_at timestamptz
);
COMMENT ON TABLE erasures IS 'Who was erased, when, why, and the proof of it, without anything that was erased.';
COMMENT ON COLUMN erasures.sought IS 'What the proof looks for, wrapped; gone as soon as the proof holds.';
COMMENT ON COLUMN erasures.done IS 'What each step has done, in counts.';
