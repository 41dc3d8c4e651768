import type { ViewColumn } from '../../../api/saved-views.ts';
import { fieldName, pathOfField } from '../../../features/call/field-paths.ts';
import { defaultColumns } from '../trace-columns.tsx';

/** Where a call has the values of the page's own columns. The label distinguishes columns with the same place. */
const places: Record<string, { path: string[]; label: string }> = {
  name: { path: ['op_name'], label: 'Name' },
  inputs: { path: ['inputs'], label: 'Inputs' },
  output: { path: ['output'], label: 'Output' },
  duration: { path: ['summary', 'weave', 'latency_ms'], label: 'Duration' },
  tokens: { path: ['summary', 'usage'], label: 'Tokens' },
  cost: { path: ['summary', 'weave', 'costs'], label: 'Cost' },
  started: { path: ['started_at'], label: 'Started' },
  status: { path: ['summary', 'weave', 'status'], label: 'Status' },
  models: { path: ['summary', 'usage'], label: 'Models' },
  thread: { path: ['thread_id'], label: 'Thread' },
  user: { path: ['wb_user_id'], label: 'User' },
  call_id: { path: ['id'], label: 'Call id' },
};

/** The columns of the page as a view stores them. */
export function viewColumns(ids: string[]): ViewColumn[] {
  return ids.map((id) => places[id] ?? { path: pathOfField(id).map(String), label: null });
}

/** The columns of the page for a view; null for those that the user has chosen. */
export function viewColumnIds(
  columns: ViewColumn[] | null | undefined,
  shown: Record<string, boolean> | null | undefined,
): string[] | null {
  if (columns?.length)
    return [...new Set(columns.flatMap(({ path, label }) => (path?.length ? [idOf(fieldName(path), label)] : [])))];
  if (!shown || Object.keys(shown).length === 0) return null;
  const changed = Object.entries(shown).map(([field, isShown]) => ({ id: idOf(field, null), isShown }));
  const hidden = new Set(changed.filter(({ isShown }) => !isShown).map(({ id }) => id));
  const added = changed.filter(({ id, isShown }) => isShown && !defaultColumns.includes(id)).map(({ id }) => id);
  return [...defaultColumns.filter((id) => !hidden.has(id)), ...added];
}

function idOf(field: string, label: string | null | undefined): string {
  const ids = Object.keys(places).filter((id) => places[id]!.path.join('.') === field);
  return ids.find((id) => places[id]!.label === label) ?? ids[0] ?? field;
}
