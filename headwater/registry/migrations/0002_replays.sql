-- What replays and supervision need to remember.

-- A version may be built more than once from the same code: each build is a materialisation of its own.
ALTER TABLE versions ADD COLUMN build integer NOT NULL DEFAULT 1 CHECK (build >= 1);
ALTER TABLE versions DROP CONSTRAINT versions_pkey, ADD PRIMARY KEY (view, version, build);
ALTER TABLE versions ADD COLUMN label text NOT NULL
    GENERATED ALWAYS AS ('v' || version::text || CASE WHEN build > 1 THEN 'b' || build::text ELSE '' END) STORED;
ALTER TABLE versions ADD COLUMN query text NOT NULL UNIQUE
    GENERATED ALWAYS AS (view || '.v' || version::text || CASE WHEN build > 1 THEN 'b' || build::text ELSE '' END) STORED;
ALTER TABLE versions ADD COLUMN starting_offsets jsonb;
ALTER TABLE versions ADD COLUMN seam_at timestamptz;
ALTER TABLE versions ADD COLUMN proof jsonb;
ALTER TABLE versions ADD COLUMN apart boolean NOT NULL DEFAULT false;
ALTER TABLE versions ADD COLUMN dropped_at timestamptz;
COMMENT ON COLUMN versions.label IS 'What people call it: v2, or v2b2 for the second build of version 2.';
COMMENT ON COLUMN versions.query IS 'The streaming query that keeps it, and the app that runs it when it needs one of its own.';
COMMENT ON COLUMN versions.apart IS 'It was built by an app of its own and stays there until it is released, so that promoting it moves no driver.';
COMMENT ON COLUMN versions.starting_offsets IS 'Where its first batch began, by topic and partition; null: at the beginning of the log.';
COMMENT ON COLUMN versions.seam_at IS 'It holds no rows of windows before this time, because it did not start at the beginning of the log.';

ALTER TABLE apps ADD COLUMN queries text[] NOT NULL DEFAULT '{}';
ALTER TABLE apps ADD COLUMN wanted_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE apps ADD COLUMN broken_at timestamptz;
ALTER TABLE apps ADD COLUMN lag_seen bigint;
COMMENT ON COLUMN apps.queries IS 'What it runs. A driver that runs anything else ends between two batches.';
COMMENT ON COLUMN apps.wanted_at IS 'Since when it is wanted like this: starts before do not count towards a crash loop.';
COMMENT ON COLUMN apps.broken_at IS 'Since when supervision has given up on it; a person resumes it by deploying it.';
UPDATE apps SET queries = (
    SELECT coalesce(array_agg(versions.query ORDER BY versions.query), '{}')
    FROM versions JOIN artifacts ON artifacts.hash = versions.artifact
    WHERE artifacts.manifest -> versions.view ->> 'app' = apps.name AND versions.status = 'live'
);

ALTER TABLE heartbeats ADD COLUMN share double precision;
COMMENT ON COLUMN heartbeats.share IS 'How much of a backlog is read, between 0 and 1; null when it does not catch up.';

ALTER TABLE leases ADD COLUMN artifact text, ADD COLUMN queries text[];
COMMENT ON COLUMN leases.queries IS 'What the driver runs, with `artifact`; it is outdated when its app should run anything else.';

CREATE TABLE writers (
    query text PRIMARY KEY,
    app text NOT NULL,
    token bigint NOT NULL
);
COMMENT ON TABLE writers IS 'Which driver may write a version: the last one that started it. A version moves between apps.';

CREATE TABLE starts (
    app text NOT NULL,
    token bigint NOT NULL,
    driver text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (app, token)
);
COMMENT ON TABLE starts IS 'Every start of a driver: the tokens that leases gave out. Many in a short time are a crash loop.';

CREATE TABLE actions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app text NOT NULL,
    action text NOT NULL,
    reason text NOT NULL,
    taken_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE actions IS 'What supervision did, and why.';

CREATE TABLE alarms (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subject text NOT NULL,
    kind text NOT NULL,
    message text NOT NULL,
    runbook text NOT NULL,
    raised_at timestamptz NOT NULL DEFAULT now(),
    cleared_at timestamptz
);
CREATE UNIQUE INDEX one_open_alarm ON alarms (subject, kind) WHERE cleared_at IS NULL;
COMMENT ON TABLE alarms IS 'What a person should know. An alarm is open until what it tells is over.';

CREATE TABLE replays (
    key text PRIMARY KEY,
    view text NOT NULL,
    query text NOT NULL REFERENCES versions (query),
    request jsonb NOT NULL,
    plan jsonb NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'promoted', 'rejected')),
    because text,
    opened_at timestamptz NOT NULL DEFAULT now(),
    caught_up_at timestamptz,
    closed_at timestamptz,
    events bigint,
    events_per_second double precision
);
CREATE UNIQUE INDEX one_open_replay ON replays (view) WHERE state = 'open';
COMMENT ON TABLE replays IS 'Every replay that began, and how it ended. The key is whoever asked: a DAG run, or a command.';

CREATE TABLE moves (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    view text NOT NULL,
    query text NOT NULL REFERENCES versions (query),
    kind text NOT NULL CHECK (kind IN ('promote', 'roll back')),
    moved_by text NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE moves IS 'Every move of a view''s pointer. Written in the transaction that moves it.';
