import type { GroupKey } from '../../domain/suites/group-keys.ts';
import { isStronger, type Overlap, type OverlapsOfCalls } from '../../domain/suites/overlap.ts';
import type { Suite } from '../../domain/suites/suite.ts';
import { FairGate } from '../../util/fair-gate.ts';
import { linesOf } from '../../util/lines.ts';
import type { Deps } from '../deps.ts';
import { keysOfCalls } from './keys-of-calls.ts';
import { type SuiteIndex, suiteIndexes } from './suite-index.ts';
import type { ComparedLine, RowPlace } from './suite-index-worker.ts';

/** The data of a job: JSON lines, which may be read several times. */
export type TrainingData = {
  open(): Promise<AsyncIterable<Uint8Array>>;
  /** Trajectories are counted without the lines of their groups; lines that were made from calls have no numbers. */
  counted: 'lines' | 'trajectories' | 'calls';
};

export type CompareData = (
  projectId: string,
  suites: readonly Suite[],
  data: TrainingData,
  options: { signal: AbortSignal; charactersMax?: number },
) => Promise<OverlapsOfCalls>;

/** Sent to the thread at once. */
const charactersTogether = 256 * 1024;

/**
 * Compares training data with suites of a project. One comparison of the process runs at a time, because an index may take some hundred
 * megabytes; projects take turns.
 */
export function openCompareData(deps: Pick<Deps, 'clickhouse'>): CompareData {
  const gate = new FairGate(1);
  return (projectId, suites, data, options) =>
    suites.length === 0
      ? Promise.resolve({ rows: 0, overlaps: [], callIds: new Set() })
      : gate.run([projectId], async () => {
          const found = new Found(data.counted === 'calls');
          for await (const index of suiteIndexes(deps, projectId, suites, options)) {
            await compareWith(deps, { projectId, index, data, found, signal: options.signal });
          }
          return found.overlaps();
        });
}

type Comparison = { projectId: string; index: SuiteIndex; data: TrainingData; found: Found; signal: AbortSignal };

async function compareWith(deps: Pick<Deps, 'clickhouse'>, comparison: Comparison): Promise<void> {
  const { projectId, index, data, found, signal } = comparison;
  const isCountedByRow = data.counted === 'trajectories';
  let before = 0;
  for await (const lines of inBatches(linesOf(await data.open(), 'The training data'))) {
    const { compared, counted } = await index.worker.request('compare', { lines, before, isCountedByRow }, { signal });
    before = counted;
    const ofCalls =
      index.places.size === 0
        ? new Map<string, GroupKey[]>()
        : await keysOfCalls(deps, projectId, new Set(compared.flatMap(({ callIds }) => callIds)));
    const keys = compared.map((line) => [...line.keys, ...line.callIds.flatMap((id) => ofCalls.get(id) ?? [])]);
    for (const [at, line] of compared.entries()) found.add(index, line, keys[at]!);
  }
}

/** The strongest match of each row of a suite. */
class Found {
  readonly #overlaps = new Map<string, Overlap>();
  readonly #rows = new Set<number>();
  readonly #callIds = new Set<string>();
  /** Rows of suites are siblings of many lines: only the first of these is kept. */
  readonly #keysSeen = new WeakMap<SuiteIndex, Set<string>>();
  readonly #hasNoLines: boolean;

  constructor(hasNoLines: boolean) {
    this.#hasNoLines = hasNoLines;
  }

  add(index: SuiteIndex, { line, callIds, found }: ComparedLine, keys: readonly GroupKey[]): void {
    const { suites, places } = index;
    const seen = this.#keysSeen.get(index) ?? new Set();
    this.#keysSeen.set(index, seen);
    const note = ({ suite, row }: RowPlace, match: Pick<Overlap, 'kind' | 'similarity'>) => {
      const { id: suiteId, name: suiteName } = suites[suite]!;
      const key = `${suiteId}:${row}`;
      const known = this.#overlaps.get(key);
      if (known && !isStronger(match, known)) return;
      const { kind, similarity } = match;
      const place = { line: this.#hasNoLines ? null : line, callId: callIds[0] ?? null };
      this.#overlaps.set(key, { suiteId, suiteName, rowIndex: row, kind, similarity, ...place });
    };
    for (const { kind, similarity, ...place } of found) note(place, { kind, similarity });
    const siblings = keys.filter((key) => places.has(key));
    for (const key of siblings) {
      if (seen.has(key)) continue;
      seen.add(key);
      for (const place of places.get(key)!) note(place, { kind: 'sibling', similarity: null });
    }
    if (found.length === 0 && siblings.length === 0) return;
    this.#rows.add(line);
    for (const id of callIds) this.#callIds.add(id);
  }

  overlaps(): OverlapsOfCalls {
    return { rows: this.#rows.size, overlaps: [...this.#overlaps.values()], callIds: this.#callIds };
  }
}

async function* inBatches(lines: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for await (const line of lines) {
    batch.push(line);
    characters += line.length + 1;
    if (characters < charactersTogether) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
