-- Backfills: replays that put rows into the live version, instead of building another.

ALTER TABLE replays ADD COLUMN kind text NOT NULL DEFAULT 'rebuild' CHECK (kind IN ('rebuild', 'backfill'));
ALTER TABLE replays ADD COLUMN proof jsonb, ADD COLUMN outcome jsonb;
COMMENT ON COLUMN replays.query IS 'Of a rebuild the version that it builds; of a backfill the version whose rows it replaces.';
COMMENT ON COLUMN replays.proof IS 'Of a backfill; that of a rebuild is kept with the version it built.';
COMMENT ON COLUMN replays.outcome IS 'What a backfill has put in place; null until its commit.';
