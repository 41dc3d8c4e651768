import type { ProjectId } from '../../contract/ids.ts';
import { type Walk, type WalkNeed, walkRef } from '../../domain/objects/walk-ref.ts';
import type { RefStep } from '../../domain/refs.ts';
import type { Caller } from '../../identity/identity.ts';
import { type Failure, isRefusal, notFound } from '../../util/failures.ts';
import type { LosslessJson } from '../../util/json/lossless.ts';
import type { Deps } from '../deps.ts';
import { openRefSource, type RefSource } from './ref-source.ts';

/** Where a walk starts. */
export type RefRoot = { projectId: ProjectId; objectId: string; digest: string; steps: RefStep[] };

/** Where it ended; `missing` if it reached a version that never existed. */
export type WalkEnd =
  | { kind: 'value'; value: LosslessJson }
  | { kind: 'missing'; digest: string }
  | { kind: 'refused'; error: Failure };

type Stores = Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>;
type Waiting = { walk: Walk; need: WalkNeed; source: RefSource; index: number };

/**
 * Walks all refs at once: each round reads everything they need of a project together, so a thousand refs take as many
 * rounds as the one with the most hops.
 */
export async function runWalks(stores: Stores, caller: Caller, roots: RefRoot[]): Promise<WalkEnd[]> {
  const ends: WalkEnd[] = new Array(roots.length);
  const sources = new Map<ProjectId, RefSource>();
  let waiting: Waiting[] = [];

  /** Advances a walk to its next read or to its end. */
  function advance({ walk, source, index }: Omit<Waiting, 'need'>, found?: LosslessJson): void {
    try {
      const next = found === undefined ? walk.next() : walk.next(found);
      if (next.done) ends[index] = { kind: 'value', value: next.value };
      else waiting.push({ walk, source, index, need: next.value });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      ends[index] = { kind: 'refused', error };
    }
  }

  roots.forEach(({ projectId, ...root }, index) => {
    const source = sources.get(projectId) ?? openRefSource(stores, caller, projectId);
    sources.set(projectId, source);
    advance({ walk: walkRef(projectId, root), source, index });
  });
  while (waiting.length > 0) {
    const round = waiting;
    waiting = [];
    for (const [source, walks] of Map.groupBy(round, (each) => each.source)) {
      await source.load(walks.map(({ need }) => need));
    }
    for (const each of round) {
      const found = each.source.get(each.need);
      if (found === undefined) ends[each.index] = missing(each.need);
      else advance(each, found);
    }
  }
  return ends;
}

function missing(need: WalkNeed): WalkEnd {
  if (need.kind === 'object') return { kind: 'missing', digest: need.digest };
  return { kind: 'refused', error: notFound(`Row digest ${need.digest} not found`) };
}
