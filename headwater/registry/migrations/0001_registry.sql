-- What there is to run and what should run. The registry is the only memory of the control plane.

CREATE TABLE artifacts (
    hash text PRIMARY KEY,
    path text NOT NULL,
    manifest jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE artifacts IS 'Code, packed once and never changed; named by the hash of its content.';

CREATE TABLE versions (
    view text NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    table_name text NOT NULL,
    checkpoint text NOT NULL,
    artifact text NOT NULL REFERENCES artifacts,
    fingerprint text NOT NULL,
    status text NOT NULL CHECK (status IN ('building', 'candidate', 'live', 'warm', 'retired')),
    created_at timestamptz NOT NULL DEFAULT now(),
    status_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (view, version)
);
CREATE UNIQUE INDEX one_live_version ON versions (view) WHERE status = 'live';
COMMENT ON TABLE versions IS 'Every version of every view, and the code that keeps it.';

CREATE TABLE apps (
    name text PRIMARY KEY,
    artifact text NOT NULL REFERENCES artifacts,
    desired text NOT NULL CHECK (desired IN ('running', 'stopped')),
    submission text,
    submitted_at timestamptz
);
COMMENT ON COLUMN apps.desired IS 'A driver that reads `stopped` here ends between two batches: the stop marker.';
COMMENT ON COLUMN apps.submission IS 'What the cluster called the last submission; a relaunched driver has another id.';

CREATE TABLE leases (
    app text PRIMARY KEY,
    token bigint NOT NULL,
    driver text NOT NULL,
    taken_at timestamptz NOT NULL DEFAULT now(),
    renewed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE leases IS 'Who may write for an app. The newest driver takes the lease; an older one finds its token stale and ends.';

CREATE TABLE heartbeats (
    query text PRIMARY KEY,
    app text NOT NULL,
    token bigint NOT NULL,
    phase text NOT NULL,
    batch_id bigint,
    offsets jsonb,
    rows_in bigint,
    rows_per_second double precision,
    batch_seconds double precision,
    watermark_at timestamptz,
    received_up_to timestamptz,
    dropped_rows bigint,
    batch_at timestamptz,
    beat_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE heartbeats IS 'The latest sign of life of each streaming query.';
