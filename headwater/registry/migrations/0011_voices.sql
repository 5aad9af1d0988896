-- Which drivers may write output topics: those of groups, and that of a live version which runs apart.

ALTER TABLE apps ADD COLUMN speaks boolean NOT NULL DEFAULT true;
ALTER TABLE leases ADD COLUMN speaks boolean;
COMMENT ON COLUMN apps.speaks IS 'Whether it may write output topics: a group may; a version that runs apart only while it is live.';
COMMENT ON COLUMN leases.speaks IS 'Whether its driver was started as one that may; null: its code was packed before that was asked.';
