/**
 * A double of the replicas of a shard, and of ClickHouse Cloud: each replica has a database of its own in chDB, without
 * Keeper. Inserts and changes of the schema are repeated in the others; what tests say keeps them from it.
 */
import type { Engine, Insert, Statement } from './engine.ts';
import type { ReplicaState } from './start-front.ts';

export type Replica = {
  readonly isDead: boolean;
  displayName(): string;
  /** Resolves when the replica is not silent. */
  whenReachable(): Promise<void>;
  onDeath(work: () => void): void;
  /** @param losesQuorum the rows are stored here alone, and the answer is that nobody knows */
  run(statement: Statement, losesQuorum: boolean): Promise<Buffer>;
};

export type Replicas = {
  all: Replica[];
  /** Makes the database `tests` if only an administrator can. */
  prepare(): Promise<void>;
  set(states: Partial<ReplicaState>[]): Promise<void>;
};

/** An insert, and the replicas that have its rows. */
type Entry = { database: string; insert: Insert; settings: [string, string][]; on: Set<number> };
/** A change of the schema, and the replicas that have run it. */
type Change = { statement: Statement; on: Set<number>; tag: string; doneAt: number };

const clusterName = 'main';

export function openReplicas(kind: string, engine: Engine): Replicas {
  if (kind === 'single' || kind === 'cloud') return openOne(kind, engine);
  const isReplicatedDatabase = kind === 'replicated database';
  const count = Number(process.env.FRONT_REPLICAS ?? 3);
  const states: ReplicaState[] = Array.from({ length: count }, (_, index) => ({
    ...{ isDead: false, isSilent: false, isReadOnly: false, lags: false, changesTakeMs: 0 },
    names: [`replica-${index + 1}`],
  }));
  const entries: Entry[] = [];
  const changes: Change[] = [];
  const replicated = new Set<string>();
  const deaths: (() => void)[][] = states.map(() => []);
  let connections = 0;

  const databaseOf = (database: string, index: number) =>
    database === 'default' ? 'default' : `${database}__${index + 1}`;
  const isLive = (index: number) => !states[index]!.isDead && !states[index]!.isSilent && !states[index]!.isReadOnly;
  const live = () => states.map((_, index) => index).filter(isLive);
  const here = (statement: Statement, index: number, sql = statement.sql) =>
    engine({ ...statement, sql, database: databaseOf(statement.database, index) });

  async function copy(entry: Entry, to: number): Promise<void> {
    if (entry.on.has(to)) return;
    entry.on.add(to);
    const { insert, settings } = entry;
    const database = databaseOf(entry.database, to);
    await engine({ database, settings, sql: '', format: '', id: 'none', insert });
  }

  async function catchUp(index: number): Promise<void> {
    for (const change of changes) await runChange(change, index);
    if (states[index]!.lags) return;
    for (const entry of entries) if ([...entry.on].some(isLive)) await copy(entry, index);
  }

  async function runChange(change: Change, index: number): Promise<void> {
    if (change.on.has(index)) return;
    change.on.add(index);
    await here(change.statement, index);
  }

  async function insertAt(index: number, statement: Statement, losesQuorum: boolean): Promise<Buffer> {
    const { database, settings, insert } = statement;
    if (states[index]!.isReadOnly) throw failure(242, 'TABLE_IS_READ_ONLY');
    const needed = settings.some(([name, value]) => name === 'insert_quorum' && value === 'auto')
      ? Math.floor(count / 2) + 1
      : 1;
    if (live().length < needed) throw failure(285, 'TOO_FEW_LIVE_REPLICAS');
    const known = entries.find(
      (entry) =>
        entry.database === database && entry.insert.table === insert!.table && entry.insert.token === insert!.token,
    );
    const entry: Entry = known ?? { database, insert: insert!, settings, on: new Set() };
    await copy(entry, index);
    if (!known) entries.push(entry);
    if (losesQuorum) throw failure(319, 'UNKNOWN_STATUS_OF_INSERT');
    const inOrder = live().sort((a, b) => Number(states[a]!.lags) - Number(states[b]!.lags));
    for (const other of inOrder) if (entry.on.size < needed || !states[other]!.lags) await copy(entry, other);
    return Buffer.alloc(0);
  }

  async function change(index: number, statement: Statement): Promise<Buffer> {
    const { sql, settings } = statement;
    const isOnCluster = / ON CLUSTER '(\w+)'/.test(sql);
    if (isOnCluster && isReplicatedDatabase) throw failure(80, 'INCORRECT_QUERY');
    const table = /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(sql)?.[1];
    const isReplicated = /ENGINE = Replicated\w*MergeTree/.test(sql);
    if (table && isReplicated) replicated.add(`${statement.database}.${table}`);
    const plain = sql.replace(/ ON CLUSTER '\w+'/, '').replace(/ENGINE = Replicated(?=\w*MergeTree)/, 'ENGINE = ');
    const reachesAll = isOnCluster || isReplicatedDatabase || (sql.startsWith('ALTER') && !table);
    const tag = settings.find(([name]) => name === 'log_comment')?.[1] ?? '';
    const made: Change = { statement: { ...statement, sql: plain, settings: [] }, on: new Set(), tag, doneAt: 0 };
    const slowMs = Math.max(...states.map(({ changesTakeMs }) => changesTakeMs));
    made.doneAt = performance.now() + slowMs;
    await runChange(made, index);
    if (!reachesAll) return Buffer.alloc(0);
    changes.push(made);
    for (const other of live()) await runChange(made, other);
    const isLate = slowMs > 0 || made.on.size < count;
    if (isOnCluster && isLate) throw failure(159, 'TIMEOUT_EXCEEDED');
    return Buffer.alloc(0);
  }

  async function makeDatabase(name: string): Promise<Buffer> {
    for (const index of states.keys()) {
      const sql = `CREATE DATABASE IF NOT EXISTS ${databaseOf(name, index)}`;
      await engine({ database: 'default', settings: [], sql, format: 'Null', id: 'none', insert: null });
    }
    return Buffer.alloc(0);
  }

  async function sync(index: number, database: string, table: string): Promise<Buffer> {
    if (states[index]!.isReadOnly) throw failure(242, 'TABLE_IS_READ_ONLY');
    for (const entry of entries) {
      if (entry.database !== database || entry.insert.table !== table || entry.on.has(index)) continue;
      if (![...entry.on].some(isLive)) throw failure(159, 'TIMEOUT_EXCEEDED');
      await copy(entry, index);
    }
    return Buffer.alloc(0);
  }

  /** System tables show what those of a cluster would. */
  function rewritten(sql: string, index: number, database: string): string {
    const queue = changes.flatMap(({ tag, on, doneAt }) =>
      states.map((_, each) => {
        const status = !on.has(each) ? 'Inactive' : performance.now() < doneAt ? 'Active' : 'Finished';
        return `(map('log_comment', '${tag}'), '${clusterName}', '${status}', 0)`;
      }),
    );
    const names = [...replicated].map((name) => name.replace(/^(\w+)\./, `${databaseOf('$1', index)}.`));
    const isReplicated = `has([${names.map((name) => `'${name}'`).join()}]::Array(String), concat(database, '.', name))`;
    const { isReadOnly, names: ownNames } = states[index]!;
    const tables: Record<string, string> = {
      'system.databases': `(SELECT * REPLACE ('${isReplicatedDatabase ? 'Replicated' : 'Atomic'}' AS engine) FROM system.databases)`,
      'system.clusters': `(SELECT arrayJoin(['${clusterName}', '${database}']) AS cluster, ${process.env.FRONT_SHARDS ?? 1} > 1 ? number : 1 AS shard_num,
        number = ${index} AS is_local FROM numbers(${count}))`,
      'system.tables': `(SELECT * REPLACE (${isReplicated} ? concat('Replicated', engine) : engine AS engine) FROM system.tables)`,
      'system.replicas': `(SELECT database, name AS table, concat('/tables/', name) AS zookeeper_path, ${Number(isReadOnly)} AS is_readonly,
        0 AS is_session_expired FROM system.tables WHERE ${isReplicated})`,
      'system.distributed_ddl_queue': `(SELECT (arrayJoin([${queue.join()}]) AS entry).1 AS settings, entry.2 AS cluster, entry.3 AS status,
        entry.4 AS exception_code)`,
    };
    let result = sql.replaceAll('hostName()', `'${ownNames[connections++ % ownNames.length]}'`);
    for (const [name, shown] of Object.entries(tables))
      result = result.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), shown);
    return result;
  }

  async function run(index: number, sent: Statement, losesQuorum: boolean): Promise<Buffer> {
    const statement = { ...sent, sql: sent.sql.replace(/^(--.*\n)+/, '') };
    const { sql, database } = statement;
    if (statement.insert) return insertAt(index, statement, losesQuorum);
    const made = /^CREATE DATABASE IF NOT EXISTS `(\w+)`/.exec(sql)?.[1];
    if (made) return makeDatabase(made);
    const synced = /^SYSTEM SYNC REPLICA (\w+) LIGHTWEIGHT$/.exec(sql)?.[1];
    if (synced) return sync(index, database, synced);
    if (sql.startsWith('SYSTEM SYNC DATABASE REPLICA')) return catchUp(index).then(() => Buffer.alloc(0));
    if (/^(CREATE|ALTER) TABLE/.test(sql)) return change(index, statement);
    return here(statement, index, rewritten(sql, index, database));
  }

  return {
    all: states.map((_, index) => ({
      get isDead() {
        return states[index]!.isDead;
      },
      displayName: () => states[index]!.names[0]!,
      async whenReachable() {
        while (states[index]!.isSilent) await new Promise((resolve) => setTimeout(resolve, 20));
      },
      onDeath: (work) => deaths[index]!.push(work),
      run: (statement, losesQuorum) => run(index, statement, losesQuorum),
    })),
    async prepare() {
      if (isReplicatedDatabase) await makeDatabase('tests');
    },
    async set(given) {
      for (const [index, state] of given.entries()) {
        Object.assign(states[index]!, state);
        if (states[index]!.isDead) for (const work of deaths[index]!.splice(0)) work();
      }
      for (const index of live()) await catchUp(index);
    },
  };
}

function openOne(kind: string, engine: Engine): Replicas {
  let names = ['single'];
  let connections = 0;
  const rewritten = (sql: string) => {
    const named = sql.replaceAll('hostName()', `'${names[connections++ % names.length]}'`);
    if (kind !== 'cloud') return named;
    return named
      .replaceAll(
        'system.settings',
        "(SELECT * REPLACE (name = 'cloud_mode' ? '1' : value AS value) FROM system.settings)",
      )
      .replaceAll('system.databases', "(SELECT * REPLACE ('Shared' AS engine) FROM system.databases)");
  };
  const one: Replica = {
    isDead: false,
    displayName: () => names[connections % names.length]!,
    whenReachable: async () => {},
    onDeath: () => {},
    run: (statement) => engine({ ...statement, sql: rewritten(statement.sql) }),
  };
  return {
    all: [one],
    prepare: async () => {},
    async set([state]) {
      names = state?.names ?? names;
    },
  };
}

const failure = (code: number, name: string) => new Error(`Code: ${code}. DB::Exception: Of the double. (${name})`);
