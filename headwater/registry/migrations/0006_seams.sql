-- What rebuilds at a seam need to remember.

ALTER TABLE versions ADD COLUMN form text NOT NULL DEFAULT 'in one batch'
    CHECK (form IN ('in one batch', 'at a seam'));
ALTER TABLE versions ADD COLUMN cut jsonb;
COMMENT ON COLUMN versions.form IS 'How it was rebuilt: by its stream alone, or by the batch engine up to a seam and by its stream from there.';
COMMENT ON COLUMN versions.cut IS 'Where a version that is rebuilt at a seam is cut in two; null until its driver has decided.';
