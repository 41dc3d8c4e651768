-- The monitor watcher lists all monitors every few seconds, even if there are none among many objects.
CREATE INDEX object_versions_of_monitors ON object_versions (project_id, object_id, created_at DESC)
    WHERE kind = 'object' AND leaf_object_class = 'Monitor' AND deleted_at IS NULL;
