-- What rebuilds need to remember: at a seam, where they are cut.

ALTER TABLE versions ADD COLUMN form text NOT NULL DEFAULT 'in one batch'
    CHECK (form IN ('in one batch', 'at a seam'));
ALTER TABLE versions ADD COLUMN cut jsonb;
COMMENT ON COLUMN versions.form IS 'How it was rebuilt: by its stream alone, or by the batch engine up to a seam and by its stream from there.';
COMMENT ON COLUMN versions.cut IS 'Where a version that is rebuilt at a seam is cut in two; null until its driver has decided.';

-- And what a rebuild may take of a cluster that it shares.
ALTER TABLE apps ADD COLUMN cores integer CHECK (cores >= 0);
ALTER TABLE apps ADD COLUMN cores_at timestamptz;
COMMENT ON COLUMN apps.cores IS 'How many cores it may use now: none is a pause; null: all that it was given. Its driver looks at it every second.';
COMMENT ON COLUMN apps.cores_at IS 'Since when: time before does not count against a batch that was held up.';
