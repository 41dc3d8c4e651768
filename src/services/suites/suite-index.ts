import { type GroupKey, sharedUsers } from '../../domain/suites/group-keys.ts';
import type { Suite } from '../../domain/suites/suite.ts';
import { readRows } from '../../store/clickhouse/tables/read-rows.ts';
import { Failure } from '../../util/failures.ts';
import { thread } from '../../util/workers/start-worker.ts';
import { WorkerClient } from '../../util/workers/worker-client.ts';
import type { Deps } from '../deps.ts';
import { keysOfCalls } from './keys-of-calls.ts';
import type { IndexingSuites, RowOrigin, RowPlace } from './suite-index-worker.ts';

/** Rows of suites in a thread, which finds copies of them; and what their siblings would have. */
export type SuiteIndex = {
  suites: readonly Suite[];
  worker: WorkerClient<IndexingSuites>;
  places: ReadonlyMap<GroupKey, RowPlace[]>;
};

/** An index takes about 20 times as much memory as its texts, so larger suites are indexed in parts, one after the other. */
const indexedCharactersMax = 16 * 1024 * 1024;
/** The index of the last suites takes memory of the server. */
const keptMs = 60_000;

let kept: { key: string; index: SuiteIndex } | null = null;
let timer: NodeJS.Timeout | undefined;

/**
 * Indexes of all rows of some suites. The caller alone uses each until it asks for the next one. Suites that fit into one index are kept for
 * a minute: they never change.
 */
export async function* suiteIndexes(
  deps: Pick<Deps, 'clickhouse'>,
  projectId: string,
  suites: readonly Suite[],
  { signal, charactersMax = indexedCharactersMax }: { signal: AbortSignal; charactersMax?: number },
): AsyncGenerator<SuiteIndex> {
  const key = [projectId, ...suites.map(({ id }) => id)].join(' ');
  const before = leave();
  if (before?.key === key && before.index.worker.isAlive) {
    let isUnharmed = false;
    try {
      yield before.index;
      isUnharmed = true;
    } finally {
      if (isUnharmed) keep(key, before.index);
      else await before.index.worker.kill(); // the caller stopped
    }
    return;
  }
  await before?.index.worker.kill();
  let parts = 0;
  let index: SuiteIndex | null = null;
  try {
    for await (index of builtIndexes(deps, projectId, suites, { signal, charactersMax })) {
      parts++;
      yield index;
    }
    if (parts === 1) keep(key, index!);
    else await index?.worker.kill();
    index = null;
  } finally {
    await index?.worker.kill(); // the caller stopped
  }
}

export async function endKeptIndex(): Promise<void> {
  await leave()?.index.worker.kill();
}

function keep(key: string, index: SuiteIndex): void {
  kept = { key, index };
  timer = setTimeout(() => void endKeptIndex(), keptMs).unref();
}

function leave() {
  const left = kept;
  clearTimeout(timer);
  kept = null;
  return left;
}

type Limits = { signal: AbortSignal; charactersMax: number };

async function* builtIndexes(
  { clickhouse }: Pick<Deps, 'clickhouse'>,
  projectId: string,
  suites: readonly Suite[],
  { signal, charactersMax }: Limits,
): AsyncGenerator<SuiteIndex> {
  const threadColumns = [...new Set(suites.flatMap(({ threadColumn }) => threadColumn ?? []))];
  let building: Building | null = null;
  let characters = 0;
  try {
    for (const [suite, { table, threadColumn }] of suites.entries()) {
      const query = { ...table, rowDigests: null, order: [], offset: 0, limit: null };
      for await (const page of readRows(clickhouse, query)) {
        building ??= await Building.begin(threadColumns, signal);
        const given = page.map(({ position, text }) => ({ row: position, text }));
        await building.add(suite, threadColumn, given);
        characters += given.reduce((sum, { text }) => sum + text.length, 0);
        if (characters < charactersMax) continue;
        const [built]: [Building] = [building];
        [building, characters] = [null, 0];
        yield* ended(await built.end({ clickhouse }, projectId, suites));
      }
    }
    if (building) {
      const last = building;
      building = null;
      yield await last.end({ clickhouse }, projectId, suites);
    }
  } finally {
    await building?.worker.kill();
  }
}

/** An index that is not the last one: its thread ends with it. */
async function* ended(index: SuiteIndex): AsyncGenerator<SuiteIndex> {
  try {
    yield index;
  } finally {
    await index.worker.kill();
  }
}

class Building {
  readonly worker = new WorkerClient<IndexingSuites>(thread(new URL('./suite-index-worker.ts', import.meta.url)), {
    errors: [Failure],
  });
  readonly #places: RowPlace[] = [];
  readonly #origins: RowOrigin[] = [];
  readonly #signal: AbortSignal;

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  static async begin(threadColumns: string[], signal: AbortSignal): Promise<Building> {
    const building = new Building(signal);
    await building.worker.request('begin', threadColumns, { signal });
    return building;
  }

  async add(suite: number, threadColumn: string | null, given: { row: number; text: string }[]): Promise<void> {
    const origins = await this.worker.request('add', { suite, threadColumn, given }, { signal: this.#signal });
    for (const [at, origin] of origins.entries()) {
      this.#places.push({ suite, row: given[at]!.row });
      this.#origins.push(origin);
    }
  }

  async end(deps: Pick<Deps, 'clickhouse'>, projectId: string, suites: readonly Suite[]): Promise<SuiteIndex> {
    try {
      await this.worker.request('build', undefined as never, { signal: this.#signal });
      return { suites, worker: this.worker, places: await this.#placesByKey(deps, projectId) };
    } catch (error) {
      await this.worker.kill();
      throw error;
    }
  }

  async #placesByKey(deps: Pick<Deps, 'clickhouse'>, projectId: string): Promise<Map<GroupKey, RowPlace[]>> {
    const callIds = new Set(this.#origins.flatMap((origin) => origin.callIds));
    const ofCalls = await keysOfCalls(deps, projectId, callIds);
    const keys = this.#origins.map((origin) => [
      ...new Set([...origin.keys, ...origin.callIds.flatMap((id) => ofCalls.get(id) ?? [])]),
    ]);
    const shared = sharedUsers(keys);
    const places = new Map<GroupKey, RowPlace[]>();
    for (const [at, place] of this.#places.entries()) {
      for (const key of keys[at]!) {
        if (shared.has(key)) continue;
        const known = places.get(key);
        if (known) known.push(place);
        else places.set(key, [place]);
      }
    }
    return places;
  }
}
