import type { ProjectId } from '../../contract/ids.ts';
import type { CallRow } from '../../domain/calls/call-row.ts';
import { parseRef } from '../../domain/refs.ts';
import { mapperVersion } from '../../otel/mapper/mapper.ts';
import { deriveAgain, type Remapped, type RemapReport } from '../../otel/remap.ts';
import { spanKey } from '../../otel/span-key.ts';
import { type CallPlace, findOutdatedSpans } from '../../store/clickhouse/calls/find/find-outdated-spans.ts';
import { findRows } from '../../store/clickhouse/calls/find/find-rows.ts';
import type { CallWrite } from '../../store/clickhouse/calls/write/call-write.ts';
import { Failure } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { type Ops, opRef } from './ops.ts';
import { settleSums } from './settle-sums.ts';
import { spanToPart } from './to-part.ts';

type Stores = Pick<Deps, 'calls' | 'clickhouse' | 'identity' | 'postgres' | 'inserter' | 'blobs'>;

/**
 * Converts calls again that an older mapper made, page by page, and reports the differences. Writes only if `writes` is
 * set; a call that has not changed then gets only the new mapper version.
 */
export async function remapCalls(stores: Stores, ops: Ops, { writes }: { writes: boolean }): Promise<RemapReport> {
  const report: RemapReport = { examined: 0, changed: 0, unreadable: 0, fields: {}, examples: [] };
  let after: CallPlace = { projectId: '', startedAt: 0, id: '' };
  for (;;) {
    const page = await findOutdatedSpans(stores.clickhouse, mapperVersion, after, pageCalls);
    if (page.length === 0) return report;
    after = page.at(-1)!;
    for (const [projectId, places] of Map.groupBy(page, (place) => place.projectId as ProjectId)) {
      const ids = places.map(({ id }) => id);
      await remapPage(stores, ops, projectId, await findRows(stores.clickhouse, projectId, ids), writes, report);
    }
  }
}

const pageCalls = 500;
const examplesMax = 20;

async function remapPage(
  stores: Stores,
  ops: Ops,
  projectId: ProjectId,
  rows: CallRow[],
  isWriting: boolean,
  report: RemapReport,
): Promise<void> {
  const { calls, identity } = stores;
  const project = (await identity.projectName(projectId)) ?? '';
  const outdated = rows.filter((row) => !row.isDeleted && ![0, mapperVersion].includes(row.mapperVersion));
  const writes: CallWrite[] = [];
  const standing = await standingSums(stores, projectId, outdated);
  for (const row of outdated) {
    const remapped = deriveAgain(row, (call) => standing.has(spanKey(call)));
    note(report, row, remapped);
    if (!isWriting || remapped === null) continue;
    const opName = await opNameOf(row, remapped, ops, { projectId, project });
    const owner = { project, userId: row.wbUserId, opName, resourceRun: remapped.resourceRun };
    const part = spanToPart({ call: remapped.call, raw: row.otelDump }, owner);
    writes.push({ projectId, id: row.id, part, yieldsToSdk: true });
  }
  const outcomes = await calls.writeEach(writes);
  report.unreadable += outcomes.filter((outcome) => outcome instanceof Failure).length;
}

/** Which of these spans report sums of requests without calls of their own. */
async function standingSums(stores: Stores, projectId: ProjectId, rows: CallRow[]): Promise<Set<string>> {
  const derived = rows.flatMap((row) => deriveAgain(row)?.call ?? []);
  return settleSums(stores, projectId, derived);
}

function note(report: RemapReport, row: CallRow, remapped: Remapped | null): void {
  report.examined++;
  if (remapped === null) report.unreadable++;
  if (remapped === null || remapped.changes.length === 0) return;
  report.changed++;
  for (const change of remapped.changes) {
    report.fields[change.field] = (report.fields[change.field] ?? 0) + 1;
    if (report.examples.length < examplesMax) report.examples.push({ callId: row.id, ...change });
  }
}

/** Keeps the op unless the span's name now leads to another one. */
async function opNameOf(
  row: CallRow,
  { call }: Remapped,
  ops: Ops,
  { projectId, project: name }: { projectId: ProjectId; project: string },
): Promise<string> {
  const op = parseRef(row.opName);
  if (op?.kind === 'op' && op.name === call.opId) return row.opName;
  const digests = await ops.ensure({ projectId, userId: row.wbUserId }, [call.opId]);
  return opRef(name, call.opId, digests.get(call.opId)!);
}
