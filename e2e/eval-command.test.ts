import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { testCommand } from '../testing/heddle-process.ts';
import { startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-eval-'));
const data = testDataDirectory();
afterAll(() => {
  rmSync(directory, { recursive: true });
  rmSync(data, { recursive: true, force: true });
});

const quiz = join(directory, 'sums.jsonl');
const rows = Array.from({ length: 12 }, (_, i) => ({ question: `What is ${i} + 1?`, expected: String(i + 1) }));
writeFileSync(quiz, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

function heddle(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const [program, ...given] = testCommand;
  const env = { PATH: process.env.PATH, HEDDLE_DATA: data };
  return new Promise((resolve) => {
    execFile(program!, [...given, 'eval', ...words], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

const run = (...words: string[]) => heddle('run', '--project', 'demo', '--model', 'heddle/tiny', ...words);
const idIn = (out: string) => /^Evaluation (\S+)/m.exec(out)?.[1] ?? '';

test('evaluates a model and compares two evaluations; thresholds decide the exit status', async () => {
  expect(await run('--dataset', quiz)).toMatchObject({
    code: 1,
    err: expect.stringContaining('No heddle server is running'),
  });
  const server = await startHeddle(data);
  const answered = ['--dataset', quiz, '--prompt', '{question}', '--max-tokens', '8', '--temperature', '0'];
  const first = await run(
    ...answered,
    '--scorer',
    'contains',
    '--scorer',
    'text_similarity',
    '--threshold',
    'contains=0',
  );
  expect(first).toMatchObject({ code: 0, err: expect.stringContaining('heddle/tiny on') });
  expect(first.out).toMatch(/^contains +\d+\.\d % +\d+\.\d % to \d+\.\d % +12 of 12$/m);
  expect(first.out).toMatch(/^12 answers, \S+ s each, \d+ tokens, no price for heddle\/tiny$/m);

  // The rows of the file and the scorers are published now, and found by their names.
  const again = ['--dataset', 'sums', '--prompt', 'Add: {question}', '--max-tokens', '8', '--trials', '2'];
  const second = await run(
    ...again,
    '--scorer',
    'contains',
    '--scorer',
    'text_similarity:0.9',
    '--threshold',
    'contains=1.1',
  );
  expect(second).toMatchObject({ code: 1, err: expect.stringContaining('below the threshold 1.1') });
  expect(second.out).toContain('24 of 24');

  const compared = await heddle('compare', '--project', 'demo', idIn(first.out), idIn(second.out));
  expect(compared.code).toBe(0);
  expect(compared.out).toMatch(/^contains .* 12 +(no clear difference|B is lower|B is higher)$/m);

  expect(await run('--dataset', 'sums', '--scorer', 'contains')).toMatchObject({
    code: 1,
    out: expect.stringContaining('12 answers failed: The model has no messages'),
  });
  expect(await run('--dataset', 'nothing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no dataset nothing'),
  });
  expect(await run('--dataset', 'sums', '--scorer', 'guess')).toMatchObject({
    code: 1,
    err: expect.stringContaining('it is not a rule'),
  });
  expect(await run('--dataset', 'sums', '--trials', '0')).toMatchObject({ code: 2 });
  expect(await run('--evaluation', 'sums-evaluation', '--dataset', 'sums')).toMatchObject({ code: 2 });
  expect(await run('--dataset', 'missing.jsonl')).toMatchObject({
    err: expect.stringContaining('no file of this name'),
  });

  // A plain rule stays plain after a run with an argument, and a rule can be applied twice.
  const similar = ['--scorer', 'text_similarity', '--scorer', 'text_similarity:0.5'];
  const both = await run(...answered, ...similar, '--threshold', 'text_similarity:0.5.similarity=0');
  expect(both).toMatchObject({ code: 0 });
  expect(both.out).toMatch(
    /^text_similarity +\d[\d.]* .*\ntext_similarity:0\.5\.similarity .*\ntext_similarity:0\.5\.passed /m,
  );

  // Errors are reported before anything runs.
  const early = await run(...answered, '--scorer', 'contains', '--threshold', 'other=1');
  expect(early).toMatchObject({
    code: 1,
    err: 'heddle: There is no scorer for the threshold of other. Scorers: contains.\n',
  });

  // A scorer that fails on every row fails the run.
  expect(await run(...answered, '--scorer', 'regex:([')).toMatchObject({
    code: 1,
    out: expect.stringContaining('failed'),
  });

  // Rows that failed are in the denominator, and no threshold is reached for a score that they lack.
  const broken = join(directory, 'broken.jsonl');
  writeFileSync(
    broken,
    [rows[0], ...rows.slice(0, 9).map(({ expected }) => ({ expected }))].map((row) => JSON.stringify(row)).join('\n'),
  );
  const failing = ['--dataset', broken, '--prompt', '{question}', '--max-tokens', '4', '--scorer', 'regex:^'];
  const high = await run(...failing, '--threshold', 'regex:^=0.9', '--allow-missing');
  expect(high).toMatchObject({ code: 1, err: expect.stringContaining('regex:^ is 0.1, below the threshold 0.9.') });
  const low = ['--threshold', 'regex:^=0.1'];
  expect(await run(...failing, ...low)).toMatchObject({
    code: 1,
    err: expect.stringContaining('9 of 10 answers have no regex:^. To accept that, pass --allow-missing.'),
  });
  expect(await run(...failing, ...low, '--allow-missing')).toMatchObject({ code: 0 });

  // A prompt is not ignored because a model of this name is published.
  const named = ['--model', 'heddle_tiny', '--prompt', 'Other: {question}'];
  expect(await heddle('run', '--project', 'demo', '--dataset', 'sums', ...named)).toMatchObject({
    code: 1,
    err: expect.stringContaining('or use its underlying model, heddle/tiny'),
  });
  expect(await heddle('compare', '--project', 'demo', idIn(first.out), 'none')).toMatchObject({ code: 1 });
  expect(await heddle('compare', '--project', 'demo', idIn(first.out), idIn(first.out))).toMatchObject({ code: 1 });
  expect(await heddle('cancel', '--project', 'demo', idIn(first.out))).toMatchObject({ code: 1 });
  expect(await heddle('cancel', '--project', 'demo', 'none')).toMatchObject({ code: 1 });
  await server.close(); // removes its data
});

test('an evaluation can be canceled while it runs', async () => {
  const server = await startHeddle(data);
  const running = run('--dataset', quiz, '--prompt', '{question}', '--trials', '1000');
  const project = 'ent/demo';
  const filter = { op_names: [`weave:///${project}/op/Evaluation.evaluate:*`] };
  const id = await vi.waitFor(
    async () => {
      const { lines } = await server.post('/calls/stream_query', { project_id: project, filter });
      expect(lines).toEqual([expect.objectContaining({ ended_at: null })]);
      return lines[0].id;
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(await heddle('cancel', '--project', 'demo', id)).toEqual({ code: 0, out: '', err: 'Canceled.\n' });
  expect(await running).toMatchObject({ code: 1, err: expect.stringContaining('The evaluation was canceled.') });
  await server.close();
});

test('reports that the server stopped during an evaluation', async () => {
  const server = await startHeddle(data);
  const running = run('--dataset', quiz, '--prompt', '{question}', '--trials', '1000');
  const found = () => server.post('/calls/query_stats', { project_id: 'ent/demo', filter: { trace_roots_only: true } });
  await vi.waitFor(async () => expect((await found()).json.count).toBeGreaterThan(0), {
    timeout: 30_000,
    interval: 100,
  });
  await server.end('SIGKILL');
  expect(await running).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /\nheddle: The server stopped\. Evaluation \S+ continues when the server starts again\.\n$/,
    ),
  });
});
