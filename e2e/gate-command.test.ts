import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Heddle, runHeddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-gate-'));
const data = testDataDirectory();
let server: Heddle;
beforeAll(async () => {
  server = await startHeddle(data);
  const project = `${server.entity}/demo`;
  const rows = Array.from({ length: 200 }, (_, i) => ({ word: `word ${i}` }));
  await server.post(`/v2/${project}/datasets`, { name: 'words', rows });
  await server.post(`/v2/${project}/suites`, { name: 'words', dataset: 'words' });
  for (const max_tokens of [1, 5]) {
    const type = 'LLMStructuredCompletionModel';
    const default_params = { messages_template: [{ role: 'user', content: 'Say {word}' }], temperature: 0, max_tokens };
    const val = {
      ...{ _type: type, _class_name: type, _bases: ['Model', 'Object', 'BaseModel'], name: `of-${max_tokens}` },
      ...{ llm_model_id: 'heddle/tiny', default_params },
    };
    await server.post('/obj/create', { obj: { project_id: project, object_id: `of-${max_tokens}`, val } });
  }
}, 60_000);
afterAll(async () => {
  await server?.end('SIGKILL');
  rmSync(directory, { recursive: true });
  rmSync(data, { recursive: true, force: true });
});

/** Often a single character after one token, never after five. */
const short = 'regex:^.$';
const gate = (...words: string[]) => runHeddle(data, ['gate', ...words]);
const start = (...words: string[]) =>
  gate(...['start', '--project', 'demo', '--suite', 'words', '--scorer', short, '--target', short], ...words);
const models = (candidate: string, incumbent: string) => ['--candidate', candidate, '--incumbent', incumbent];

test('promotes, rejects, or lacks evidence by the exit status, and the signed verdict can be verified', async () => {
  const verdict = join(directory, 'verdict.json');
  const key = join(directory, 'key.pem');
  const better = [...models('of-1', 'of-5'), '--gain', '0.3', '--seed', 'a'];
  const promoted = await start(...better, '--guardrail', 'latency>60=0.3', '--out', verdict);
  expect(promoted).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^Promote: regex:\^\.\$ is better on traffic like this suite, by (up|0\.\d+) to 0\.\d+\.$/m,
    ),
  });
  expect(promoted.out).toMatch(/^latency .* not worse than its margin$/m);
  expect(promoted.out).toContain('This tests the scores, not the truth');

  const rejected = await start(...models('of-5', 'of-1'), '--gain', '0.3', '--seed', 'a');
  expect(rejected).toMatchObject({
    code: 3,
    out: expect.stringMatching(/^Reject\.\n {2}The gain in .* is below 0\.3/),
  });
  const unclear = await start(...models('of-1', 'of-1'), '--gain', '0.3', '--rows-max', '3');
  expect(unclear).toMatchObject({ code: 4, out: expect.stringMatching(/^Not enough evidence: about \d+ more rows/) });

  writeFileSync(key, (await gate('public-key')).out);
  expect(await gate('verify', verdict, '--public-key', key)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Valid: promote of-1 \(weave:.*\) in place of of-5 on words/),
  });
  const envelope = JSON.parse(readFileSync(verdict, 'utf8'));
  const document = JSON.parse(Buffer.from(envelope.payload, 'base64').toString());
  document.plan.alpha = 0.5;
  const forged = { ...envelope, payload: Buffer.from(JSON.stringify(document)).toString('base64') };
  writeFileSync(verdict, JSON.stringify(forged));
  expect(await gate('verify', verdict, '--public-key', key)).toMatchObject({
    code: 1,
    err: expect.stringContaining('The key has not signed this verdict'),
  });
  const listed = (await gate('list', '--project', 'demo')).out.trimEnd().split('\n');
  expect(listed.map((line) => /words #\d .*?(?= {2}20\d\d-)/.exec(line)?.[0].replace(/ +/g, ' ').trim())).toEqual([
    undefined,
    'words #3 of-1 of-1 not enough evidence',
    'words #2 of-5 of-1 reject',
    'words #1 of-1 of-5 promote',
  ]);
}, 120_000);

test('goes on after kill -9 with what is missing, to the same verdict', async () => {
  const plan = join(directory, 'plan.json');
  writeFileSync(plan, JSON.stringify({ suite: 'words', scorers: [short], target: { metric: short, gain: 0.02 } }));
  const same = ['--plan', plan, ...models('of-1', 'of-5'), '--seed', 'b', '--rows-max', '60'];
  const startPlanned = (...words: string[]) => gate('start', '--project', 'demo', ...words);
  const whole = join(directory, 'whole.json');
  const cut = join(directory, 'cut.json');
  await startPlanned(...same, '--out', whole);
  const id = (await startPlanned(...same, '--no-wait')).out.trim();
  const threads = async () => (await server.get(`/v2/${server.entity}/demo/gates/${id}`)).json.progress.threads;
  await expect.poll(threads, { timeout: 30_000, interval: 20 }).toBeGreaterThan(5);
  await server.end('SIGKILL');
  server = await startHeddle(data);
  await gate('watch', id, '--project', 'demo', '--out', cut);
  const documents = [whole, cut].map((file) =>
    JSON.parse(Buffer.from(JSON.parse(readFileSync(file, 'utf8')).payload, 'base64').toString()),
  );
  expect(documents[1].threads).toEqual(documents[0].threads);
  expect(documents[1].threads).toHaveLength(60);
  const evaluations = (await server.get(`/v2/${server.entity}/demo/gates/${id}`)).json;
  const { json } = await server.post(`/v2/${server.entity}/demo/eval_results/query`, {
    ...{ evaluation_call_ids: [evaluations.candidate.evaluation_call_id], include_summary: true },
  });
  expect(json.summary.evaluations[0].trial_count).toBe(60);
}, 180_000);

test('says what is missing or wrong', async () => {
  expect(await gate('start', '--project', 'demo', '--suite', 'words')).toMatchObject({
    code: 1,
    err: 'heddle: Give --candidate, --incumbent, --target, --gain, --scorer, or a --plan with it.\n',
  });
  const wrong = await start(...models('of-1', 'of-5'), '--gain', '0.1', '--guardrail', 'latency');
  expect(wrong.err).toContain('Expected a score and a margin');
  expect((await start(...models('of-1', 'of-5'), '--gain', 'much')).code).toBe(2);
  expect((await gate('show', 'nothing', '--project', 'demo')).err).toContain('has no gate nothing');
  const readme = new URL('../README.md', import.meta.url).pathname;
  expect(await gate('verify', readme, '--public-key', readme)).toMatchObject({
    code: 1,
    err: 'heddle: The file is not a signed verdict: it is not JSON.\n',
  });
});
