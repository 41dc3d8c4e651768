import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What each program starts with: the stores open as in the server, and one WebAssembly module compiled after them. */
const prelude = `
  import { readFileSync } from 'node:fs';
  const { openEmbeddedClickHouse } = await import(${url('./embedded-clickhouse.ts')});
  const { openEmbeddedPostgres } = await import(${url('../../postgres/embedded/embedded-postgres.ts')});
  const clickhouse = openEmbeddedClickHouse(process.argv[2] + '/clickhouse');
  const answer = async () => (await clickhouse.query('SELECT 1 AS one'))[0].one;
  const outcome = (run) => { try { run(); return 'returned'; } catch (error) { return error.constructor.name + ': ' + error.message; } };
  // (memory 1) (func $load (param i32) (result i32) local.get 0 i32.load) (func $recurse (param i32) (result i32) local.get 0 call $recurse)
  const module = new WebAssembly.Module(Buffer.from('0061736d0100000001060160017f017f03030200000503010001' +
    '0709020166000001670001' + '0a1002070020002802000b0600200010010b', 'hex'));
  const { f: load, g: recurse } = new WebAssembly.Instance(module).exports;
  const report = (value) => process.stdout.write(JSON.stringify(value));
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heddle-signals-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('an access out of bounds in WebAssembly is an exception beside chDB, and both stores go on answering', () => {
  const { printed } = run(`
    const postgres = await openEmbeddedPostgres(process.argv[2] + '/postgres');
    const outcomes = Array.from({ length: 3 }, () => outcome(() => load(0x7fffffff)));
    const { rows } = await postgres.db.executeQuery({ sql: 'SELECT 1 AS one', parameters: [], query: { kind: 'RawNode' } });
    report({ outcomes, clickhouse: await answer(), postgres: rows[0].one });
    process.exit(0);`);
  const outOfBounds = 'RuntimeError: memory access out of bounds';
  expect(printed).toEqual({ outcomes: [outOfBounds, outOfBounds, outOfBounds], clickhouse: 1, postgres: 1 });
});

test('a stack that overflows is an exception beside chDB, whatever overflows it', () => {
  const { printed } = run(`
    const nested = Array.from({ length: 1e6 }).reduce((inner) => [inner], []);
    const deep = () => deep() + 1;
    const outcomes = [
      () => recurse(0),
      deep,
      () => JSON.stringify(nested),
      () => structuredClone(nested),
      () => /^(?:(a|b)|c)*$/.test('ab'.repeat(5e6) + 'x'),
      () => new Function('return ' + '('.repeat(1e6)),
    ].map(outcome);
    report({ outcomes, clickhouse: await answer() });
    process.exit(0);`);
  expect(printed).toEqual({ outcomes: Array(6).fill('RangeError: Maximum call stack size exceeded'), clickhouse: 1 });
});

test.each(['SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGABRT'] as const)(
  'a crash with %s ends the process at once, where ClickHouse would keep it for five minutes',
  (signal) => {
    const { signal: endedBy } = run(
      `await answer(); process.kill(process.pid, '${signal}'); setInterval(() => {}, 1e3);`,
    );
    expect(endedBy).toBe(signal);
  },
);

test('chDB catches no signal of a crash, also after reads, writes and errors', () => {
  const { printed } = run(`
    await clickhouse.command('CREATE TABLE numbers (n Int32) ENGINE = MergeTree ORDER BY n');
    await clickhouse.insert('numbers', Buffer.from('{"n":1}\\n'));
    await Promise.all([answer(), answer(), clickhouse.query('SELECT * FROM numbers')]);
    await clickhouse.query('SELECT throwIf(1)').catch(() => {});
    const caught = BigInt('0x' + /SigCgt:\\s*(\\w+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    report([4, 5, 6, 7, 8, 11, 20, 31].filter((number) => (caught >> BigInt(number - 1)) & 1n));
    process.exit(0);`);
  expect(printed).toEqual([]);
});

/** Runs a program in a process of its own, for less time than ClickHouse's handler takes. */
function run(source: string): { printed: unknown; signal: NodeJS.Signals | null } {
  const data = mkdtempSync(join(folder, 'run-'));
  const program = join(data, 'program.mjs');
  writeFileSync(program, prelude + source);
  const { stdout, stderr, signal, error } = spawnSync(process.execPath, [program, data], {
    encoding: 'utf8',
    timeout: 50_000,
    killSignal: 'SIGKILL',
  });
  if (error) throw new Error(`the program did not end: ${error.message}\n${stderr}`);
  if (signal === null && stdout === '') throw new Error(`the program printed nothing:\n${stderr}`);
  return { printed: stdout === '' ? null : JSON.parse(stdout), signal };
}

function url(path: string): string {
  return JSON.stringify(new URL(path, import.meta.url));
}
