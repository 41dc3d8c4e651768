import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { migratePostgres } from '../store/postgres/migrate.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { serverPostgres } from '../store/postgres/server/open.ts';
import { parseServerUrl } from '../store/postgres/server/server-url.ts';
import { startTestServer, type TestServer } from '../store/postgres/testing/postgres-server.ts';
import { createLog, type JobProcess, type kinds, type LoggedInput, startJobProcess } from './testing/job-process.ts';

let server: TestServer;
let url: string;
let postgres: Postgres;
const processes: JobProcess[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  url = await server.createDatabase();
  const address = parseServerUrl(url);
  postgres = (await serverPostgres({ address, direct: address, connectionsMax: 4, waitMsMax: 0 })).store;
  await migratePostgres(postgres);
  await createLog(postgres);
});
afterEach(async () => {
  for (const process of processes.splice(0)) await process.end();
  await postgres.close();
});
afterAll(() => server?.close());

async function start(count: number, leaseMs = 1500, lookMs?: number): Promise<JobProcess[]> {
  const first = processes.length;
  const names = Array.from({ length: count }, (_, index) => `process ${first + index}`);
  const started = await Promise.all(names.map((name) => startJobProcess({ url, name, leaseMs, lookMs })));
  processes.push(...started);
  return started;
}

type Row = { job: string; process: string; what: string; at: Date };

async function logOf(job?: string): Promise<Row[]> {
  const { rows } = await sql<Row>`SELECT job, process, what, at FROM ${sql.table('job_log')} ORDER BY number`.execute(
    postgres.db,
  );
  return job === undefined ? rows : rows.filter((row) => row.job === job);
}

const whatOf = async (job: string) => (await logOf(job)).map(({ what }) => what);
const waiting = { timeout: 20_000, interval: 50 };
const becomes = (id: string, state: string, process = processes.at(-1)!, kind: keyof typeof kinds = 'logged') =>
  vi.waitFor(async () => expect(await process.ask({ find: id, kind })).toMatchObject({ state }), waiting);
const logs = (id: string, what: string) => vi.waitFor(async () => expect(await whatOf(id)).toContain(what), waiting);

async function add(
  process: JobProcess,
  input: LoggedInput,
  where: { kind?: keyof typeof kinds; project?: string; key?: string } = {},
): Promise<string> {
  const id = uuidv7();
  await process.ask({ add: id, kind: 'logged', ...where, input });
  return id;
}

/** The process that runs a job, and the others. */
async function holderOf(id: string): Promise<{ holder: JobProcess; others: JobProcess[] }> {
  await logs(id, 'wrote');
  const { process: name } = (await logOf(id)).at(-1)!;
  const holder = processes.find((process) => process.name === name)!;
  return { holder, others: processes.filter((process) => process !== holder) };
}

/** No process wrote about a job after another one had started it. */
async function expectInTurn(id: string): Promise<void> {
  let running = '';
  for (const { process, what } of await logOf(id)) {
    if (what === 'started') running = process;
    if (what === 'wrote' || what === 'done') expect(process).toBe(running);
  }
}

test('several processes start at once on an empty schema, and run each job once', async () => {
  await start(5);
  const added = Array.from({ length: 20 }, (_, index) =>
    add(processes[index % 5]!, { ms: 40 }, { project: `project ${index % 4}` }),
  );
  const ids = await Promise.all(added);
  for (const id of ids) await becomes(id, 'done');
  const log = await logOf();
  for (const what of ['started', 'done']) {
    expect(
      log
        .filter((row) => row.what === what)
        .map(({ job }) => job)
        .toSorted(),
    ).toEqual(ids.toSorted());
  }
  expect(new Set(log.map(({ process }) => process)).size).toBeGreaterThan(1);
});

/** A process that looks for jobs this rarely finds those of others by announcements alone. */
const hardlyEver = 600_000;

/** Waits until as many processes can be told something. */
async function listen(count: number): Promise<void> {
  const listening = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
  await vi.waitFor(async () => expect((await listening.execute(postgres.db)).rows).toHaveLength(count), waiting);
}

test('a job that is added at one process is announced to the others', async () => {
  const [adding, running] = await start(2, 1500, hardlyEver);
  await listen(2);
  await adding!.ask({ stop: true });
  for (let round = 0; round < 5; round++) {
    const id = await add(adding!, { ms: 0 });
    await becomes(id, 'done');
    expect((await logOf(id))[0]!.process).toBe(running!.name);
  }
});

test('the jobs of a killed process are taken over by one other, and its end counts as one interruption', async () => {
  await start(3, 8000);
  const id = await add(processes[0]!, { ms: 2000 });
  const { holder, others } = await holderOf(id);
  const killedAt = performance.now();
  await holder.end();
  await vi.waitFor(
    async () => expect((await whatOf(id)).filter((what) => what === 'started')).toHaveLength(2),
    waiting,
  );
  expect(performance.now() - killedAt).toBeLessThan(15_000);
  const { rows } = await postgres.executeSql(`SELECT output FROM ${postgres.jobs.schema}.job`);
  expect(rows).toEqual([{ output: { failures: 0, interruptions: 1 } }]);
  await becomes(id, 'done', others[0]);
  expect((await whatOf(id)).filter((what) => what === 'started')).toHaveLength(2);
  await expectInTurn(id);
}, 40_000);

test('a job stays with its process, and is taken over once that ends, whatever the clocks of the processes show', async () => {
  const clocks = [5000, -5000].map((clockShiftMs) =>
    startJobProcess({ url, name: `process of ${clockShiftMs} ms`, leaseMs: 1500, clockShiftMs }),
  );
  processes.push(...(await Promise.all(clocks)));
  for (const first of processes) {
    const id = await add(first, { ms: 2500 });
    await becomes(id, 'done');
    expect((await whatOf(id)).filter((what) => what === 'started')).toHaveLength(1);
  }
  const id = await add(processes[0]!, { ms: 1000 });
  const { holder, others } = await holderOf(id);
  await holder.end();
  await becomes(id, 'done', others[0]);
  await expectInTurn(id);
}, 60_000);

test('a process that was frozen writes nothing about a job that another one has taken', async () => {
  await start(2);
  const ids = [await add(processes[0]!, { ms: 4000 }), await add(processes[0]!, { ms: 4000, isDeaf: true })];
  for (const id of ids) await logs(id, 'wrote');
  const { holder, others } = await holderOf(ids[1]!);
  holder.child.kill('SIGSTOP');
  await vi.waitFor(async () => expect((await whatOf(ids[1]!)).filter((what) => what === 'started')).toHaveLength(2), {
    timeout: 20_000,
  });
  holder.child.kill('SIGCONT');
  for (const id of ids) await becomes(id, 'done', others[0]);
  await logs(ids[1]!, 'aborted: Another process may have taken the job');
  for (const id of ids) {
    await expectInTurn(id);
    expect((await whatOf(id)).filter((what) => what === 'done')).toHaveLength(1);
  }
  const what = await whatOf(ids[1]!);
  expect(what.indexOf('may have been begun before')).toBeGreaterThan(what.lastIndexOf('started'));
  const again = await add(others[0]!, { ms: 0 }); // the process that was frozen goes on with other jobs
  await becomes(again, 'done', holder);
}, 40_000);

test('a process that shuts down hands its jobs over at once, without an interruption', async () => {
  await start(2, 8000, hardlyEver);
  await listen(2);
  const id = await add(processes[0]!, { ms: 1500 });
  const { holder, others } = await holderOf(id);
  await holder.ask({ stop: true });
  await vi.waitFor(async () => expect((await logOf(id)).at(-1)!.process).toBe(others[0]!.name), waiting);
  const { rows } = await postgres.executeSql(`SELECT output FROM ${postgres.jobs.schema}.job`);
  expect(rows).toEqual([{ output: { failures: 0, interruptions: 0 } }]);
  await becomes(id, 'done', others[0]);
  await expectInTurn(id);
});

test('jobs are left to the process that has what they need, and count as one attempt', async () => {
  const [adding] = await start(3);
  const where = ['process 2', 'process 2', 'process 1', 'process 2'];
  const ids: string[] = [];
  for (const only of where) ids.push(await add(adding!, { ms: 60, only }, { kind: 'keyed', key: 'k' }));
  for (const id of ids) await becomes(id, 'done', undefined, 'keyed');
  const log = await logOf();
  const started = log.filter(({ what }) => what === 'started');
  expect(started.map(({ job, process }) => `${ids.indexOf(job)} ${process}`)).toEqual(
    where.map((only, index) => `${index} ${only}`),
  );
  expect(await adding!.ask({ find: ids[0]!, kind: 'keyed' })).toMatchObject({ failures: 0 });
}, 40_000);

test('every process shows the progress of a job', async () => {
  await start(2);
  const id = await add(processes[0]!, { ms: 4000 });
  const { others } = await holderOf(id);
  const progressOf = async () => {
    const { progress } = (await others[0]!.ask({ find: id, kind: 'logged' })) as { progress: { done: number } | null };
    return progress?.done ?? 0;
  };
  await vi.waitFor(async () => expect(await progressOf()).toBeGreaterThan(0), waiting);
  const seen = await progressOf();
  await vi.waitFor(async () => expect(await progressOf()).toBeGreaterThan(seen), waiting);
});

test('any process cancels a job, wherever it runs', async () => {
  await start(3);
  const id = await add(processes[0]!, { ms: 30_000 });
  const { holder, others } = await holderOf(id);
  expect(await others[0]!.ask({ cancel: id, kind: 'logged' })).toBe(true);
  const log = await logOf(id);
  expect(log).toContainEqual(expect.objectContaining({ process: holder.name, what: 'aborted: The job was canceled' }));
  expect(log.at(-1)!.what).toBe('canceled');
  await becomes(id, 'canceled', others[1]);
  expect(await others[1]!.ask({ cancel: id, kind: 'logged' })).toBe(false);
  expect(await others[1]!.ask({ cancel: uuidv7(), kind: 'logged' })).toBe(false);
  expect((await whatOf(id)).filter((what) => what === 'canceled')).toHaveLength(1);
  const kept = await postgres.db.selectFrom('job_attempts').selectAll().execute();
  expect(kept).toEqual([]);
});

test('a job that several processes cancel at once is canceled once', async () => {
  await start(3);
  const [running, waits] = [
    await add(processes[0]!, { ms: 30_000 }, { kind: 'single' }),
    await add(processes[0]!, { ms: 30_000 }, { kind: 'single' }),
  ];
  await logs(running, 'wrote');
  for (const id of [waits, running]) {
    const canceled = await Promise.all(processes.map((process) => process.ask({ cancel: id, kind: 'single' })));
    expect(canceled).toContain(true);
    expect((await whatOf(id)).filter((what) => what === 'canceled')).toHaveLength(1);
    await becomes(id, 'canceled', processes[0], 'single');
  }
  expect(await whatOf(waits)).toEqual(['canceled']);
});

test('a job whose process is frozen is canceled once its lease has ended', async () => {
  await start(2, 4000); // a process that is slower than its lease would have to cancel twice
  const id = await add(processes[0]!, { ms: 30_000 });
  const { holder, others } = await holderOf(id);
  holder.child.kill('SIGSTOP');
  expect(await others[0]!.ask({ cancel: id, kind: 'logged' })).toBe(true);
  holder.child.kill('SIGCONT');
  await logs(id, 'aborted: Another process may have taken the job');
  await becomes(id, 'canceled', holder);
  const log = await whatOf(id);
  expect(log.filter((what) => what === 'canceled')).toHaveLength(1);
  expect(log.lastIndexOf('wrote')).toBeLessThan(log.indexOf('canceled'));
}, 40_000);

test('a process that was frozen while it canceled a job does not record that a second time', async () => {
  await start(3);
  const id = await add(processes[0]!, { ms: 30_000, cancelMs: 1500 });
  const { holder, others } = await holderOf(id);
  const canceled = others[0]!.ask({ cancel: id, kind: 'logged' });
  await logs(id, 'canceling');
  const { process: name } = (await logOf(id)).findLast(({ what }) => what === 'canceling')!;
  const canceler = processes.find((process) => process.name === name)!;
  canceler.child.kill('SIGSTOP');
  await becomes(id, 'canceled', processes.find((process) => process !== canceler)!);
  canceler.child.kill('SIGCONT');
  expect(await canceled).toBe(true);
  await becomes(id, 'canceled', canceler);
  expect(canceler).not.toBe(holder);
  const log = await logOf(id);
  expect(log.filter(({ what }) => what === 'canceling').length).toBeGreaterThan(1);
  expect(log.filter(({ what }) => what === 'canceled')).toHaveLength(1);
  expect(log.find(({ what }) => what === 'canceled')!.process).not.toBe(canceler.name);
}, 40_000);

test('a cancellation goes on without the process that asked for it', async () => {
  await start(3);
  const id = await add(processes[0]!, { ms: 30_000, isDeaf: true });
  const { holder, others } = await holderOf(id);
  holder.child.kill('SIGSTOP');
  void others[0]!.ask({ cancel: id, kind: 'logged' });
  await vi.waitFor(async () => {
    const { rows } = await sql`SELECT FROM ${sql.table('job_attempts')} WHERE canceled_at IS NOT NULL`.execute(
      postgres.db,
    );
    expect(rows).toHaveLength(1);
  }, waiting);
  await others[0]!.end();
  await holder.end();
  await becomes(id, 'canceled', others[1]);
  expect((await whatOf(id)).filter((what) => what === 'canceled')).toHaveLength(1);
}, 40_000);

test('jobs that are to be canceled are ended by another process, and not run again', async () => {
  await start(2);
  const [running, waits] = [
    await add(processes[0]!, { ms: 30_000 }, { kind: 'single' }),
    await add(processes[0]!, { ms: 30_000 }, { kind: 'single' }),
  ];
  const { holder, others } = await holderOf(running);
  for (const id of [running, waits]) await holder.ask({ askToCancel: id, kind: 'single' });
  await holder.end();
  for (const id of [running, waits]) await becomes(id, 'canceled', others[0], 'single');
  const ended = (await logOf(running)).filter(({ what }) => what !== 'wrote' && !what.startsWith('aborted'));
  expect(ended.map(({ what }) => what)).toEqual(['started', 'canceled']);
  expect(ended[1]!.process).toBe(others[0]!.name);
  expect(await whatOf(waits)).toEqual(['canceled']);
  expect(await postgres.db.selectFrom('job_attempts').selectAll().execute()).toEqual([]);
}, 40_000);

test('a job that is to be canceled stops where it runs, though the process that asked has ended', async () => {
  await start(3);
  const id = await add(processes[0]!, { ms: 30_000 });
  const { holder, others } = await holderOf(id);
  await others[0]!.ask({ askToCancel: id, kind: 'logged' });
  await others[0]!.end();
  await becomes(id, 'canceled', others[1]);
  const log = await logOf(id);
  expect(log).toContainEqual(expect.objectContaining({ process: holder.name, what: 'aborted: The job was canceled' }));
  expect(log.filter(({ what }) => what === 'started')).toHaveLength(1);
}, 40_000);

test('a job goes on if its cancellation cannot be recorded', async () => {
  await start(2);
  const id = await add(processes[0]!, { ms: 1000, cancelThrows: true });
  const { others } = await holderOf(id);
  expect(await others[0]!.ask({ cancel: id, kind: 'logged' })).toEqual({ error: 'no' });
  await becomes(id, 'done');
});

test('the limit of jobs of a project holds for all processes together, and projects take turns', async () => {
  await start(3);
  const ids: string[] = [];
  for (const project of ['p', 'p', 'p', 'p', 'q', 'q'])
    ids.push(await add(processes[ids.length % 3]!, { ms: 200 }, { kind: 'single', project }));
  for (const id of ids) await becomes(id, 'done', undefined, 'single');
  const running = { p: 0, q: 0 };
  for (const { job, what } of await logOf()) {
    const project = ids.indexOf(job) < 4 ? 'p' : 'q';
    if (what === 'started') expect(++running[project]).toBe(1);
    if (what === 'done') running[project]--;
  }
});

test('jobs with the same key run one after another at different processes', async () => {
  await start(3);
  const ids: string[] = [];
  for (let index = 0; index < 6; index++)
    ids.push(await add(processes[index % 3]!, { ms: 60 }, { kind: 'keyed', key: 'k' }));
  for (const id of ids) await becomes(id, 'done', undefined, 'keyed');
  const ends = (await logOf())
    .filter(({ what }) => what !== 'wrote')
    .map(({ job, what }) => `${ids.indexOf(job)} ${what}`);
  expect(ends).toEqual(ids.flatMap((_, index) => [`${index} started`, `${index} done`]));
});

test('a failure is recorded once, by the process that ran the job', async () => {
  await start(2);
  const id = await add(processes[0]!, { ms: 0, throws: 'no' });
  await becomes(id, 'failed');
  expect(await whatOf(id)).toEqual(['started', 'failed: no']);
});

test('jobs that a process without others was running are run again', async () => {
  await start(1);
  const id = await add(processes[0]!, { ms: 300 });
  const { holder } = await holderOf(id);
  await holder.end();
  await postgres.db.deleteFrom('job_attempts').execute();
  const startedAt = performance.now();
  const [next] = await start(1, 8000);
  await becomes(id, 'done', next);
  expect(performance.now() - startedAt).toBeLessThan(8000);
});

test('jobs are run again after the server was away for longer than a lease', async () => {
  if (!server.crash) return;
  await start(2);
  const id = await add(processes[0]!, { ms: 1000 });
  await logs(id, 'wrote');
  await server.crash();
  await setTimeout(2500);
  await server.start();
  await becomes(id, 'done');
  await expectInTurn(id);
}, 60_000);
