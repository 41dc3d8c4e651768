-- Blobs of artifacts that nothing refers to any more. A listed key is not used for new content, so that its bytes can be deleted
-- at any time, and more than once.
CREATE TABLE deleted_blobs (
    key text PRIMARY KEY,
    deleted_at timestamptz NOT NULL DEFAULT now(),
    -- Whether the bytes are deleted.
    is_empty boolean NOT NULL DEFAULT false
);
CREATE INDEX deleted_blobs_in_order ON deleted_blobs (is_empty, deleted_at);
