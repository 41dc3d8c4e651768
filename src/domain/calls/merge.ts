import { parsePlain } from '../../util/json/parse.ts';
import { type CallKey, type CallRow, type CallStatus, type EndFields, emptyRow, type StartFields } from './call-row.ts';
import type { CallPart } from './part.ts';

/**
 * Merges a part into the known version of a call, if there is one. Parts of different kinds can arrive in any order and
 * produce the same call; of two parts of one kind, the later one wins. A rename wins over the name in a start, and a
 * deleted call stays deleted even if its start arrives later.
 * @returns null if the part changes nothing; the caller sets the version.
 */
export function mergePart(known: CallRow | null, key: CallKey, part: CallPart): CallRow | null {
  if (known?.isDeleted) return null;
  const row = known ?? emptyRow(key);
  switch (part.kind) {
    case 'start':
      return withStatus({ ...row, ...started(row, part.start) });
    case 'end':
      return withStatus({ ...row, ...part.end });
    case 'complete':
      return withStatus({ ...row, ...started(row, part.start), ...part.end });
    case 'rename':
      return { ...row, displayName: part.displayName, isRenamed: true };
    case 'delete':
      return tombstone(row);
    case 'topmost':
      return row.isStarted ? { ...row, isTopmost: part.isTopmost } : null;
    case 'repeated':
      return row.isStarted ? { ...row, isRepeated: part.isRepeated } : null;
    case 'parent':
      return row.isStarted ? { ...row, parentId: part.parentId } : null;
    default:
      return part satisfies never;
  }
}

/** The row that hides a call at its key: without payloads, only marked as deleted. */
export function tombstone({ projectId, id, startedAt, version, isStarted }: CallRow): CallRow {
  return { ...emptyRow({ projectId, id }), startedAt, version, isStarted, isDeleted: true };
}

function started(row: CallRow, start: StartFields): StartFields & { isStarted: true } {
  return { ...start, displayName: row.isRenamed ? row.displayName : start.displayName, isStarted: true };
}

function withStatus(row: CallRow): CallRow {
  return { ...row, status: statusOf(row) };
}

function statusOf({
  exception,
  endedAt,
  summary,
}: Pick<EndFields, 'exception' | 'summary'> & Pick<CallRow, 'endedAt'>): CallStatus {
  if (exception !== '') return 'error';
  if (endedAt === null) return 'running';
  return hasFailedDescendants(summary) ? 'descendant_error' : 'success';
}

function hasFailedDescendants(summary: string): boolean {
  if (!summary.includes('"status_counts"')) return false; // most summaries have none: skip parsing
  const { status_counts: counts } = parsePlain(summary) as { status_counts?: { error?: number } };
  return (counts?.error ?? 0) > 0;
}
