/** How a column of a key is written as text and compared. */
type KeyType = 'text' | 'time' | 'uint64';

export type CopiedTable = {
  /** The sorting key. Of rows with the same key, ClickHouse keeps the one with the highest version. */
  key: Record<string, KeyType>;
  /** Null where rows with the same key are equal. */
  version: string | null;
};

/** The tables with data. A test compares them with the schema. */
export const copiedTables: Record<string, CopiedTable> = {
  calls: { key: { project_id: 'text', started_at: 'time', id: 'text' }, version: 'version' },
  agent_spans: {
    key: { project_id: 'text', started_at: 'time', trace_id: 'text', span_id: 'text' },
    version: 'version',
  },
  feedback: { key: { project_id: 'text', weave_ref: 'text', feedback_type: 'text', id: 'text' }, version: 'version' },
  span_events: {
    key: { project_id: 'text', span_id: 'text', trace_id: 'text', time_unix_nano: 'uint64', digest: 'text' },
    version: 'version',
  },
  object_values: { key: { project_id: 'text', digest: 'text' }, version: null },
  table_rows: { key: { project_id: 'text', digest: 'text' }, version: 'earliness' },
  tables: { key: { project_id: 'text', digest: 'text' }, version: 'is_complete' },
};
