import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readEnvelope, verifyVerdict } from '../../domain/gates/verdict.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  project = await server.newProject();
});

/** A model that answers every row with one character of each of `good`, and one that answers with other text. */
async function freeze(rows: object[], more: object = {}): Promise<void> {
  await server.post(`/v2/${project}/datasets`, { name: 'rows', rows });
  const { status, text } = await server.post(`/v2/${project}/suites`, { name: 'suite', dataset: 'rows', ...more });
  if (status !== 200) throw new Error(text);
}

/** Publishes a model that answers with the column `prompt`-th text of its own, whatever the sampling. */
async function model(name: string, prompt: string): Promise<string> {
  const val = {
    ...{
      _type: 'LLMStructuredCompletionModel',
      _class_name: 'LLMStructuredCompletionModel',
      _bases: ['Model', 'Object', 'BaseModel'],
    },
    ...{ name, llm_model_id: 'heddle/tiny' },
    default_params: { messages_template: [{ role: 'user', content: prompt }], max_tokens: 1, temperature: 0 },
  };
  const { json } = await server.post('/obj/create', { obj: { project_id: project, object_id: name, val } });
  return `weave:///${project}/object/${name}:${json.digest}`;
}

const ended = async (id: string) => {
  await expect
    .poll(async () => (await server.get(`/v2/${project}/gates/${id}`)).json.state, { timeout: 60_000, interval: 200 })
    .toMatch(/decided|failed|canceled/);
  return (await server.get(`/v2/${project}/gates/${id}`)).json;
};

const start = (body: object) =>
  server.post(`/v2/${project}/gates`, {
    ...{ suite: 'suite', scorers: ['regex:^.*$'], target: { metric: 'regex:^.*$', gain: 0.3 } },
    ...body,
  });

test('a model that is no better is not promoted, and the verdict can be verified', async () => {
  await freeze(Array.from({ length: 60 }, (_, i) => ({ word: `word ${i}`, expected: 'x' })));
  const [candidate, incumbent] = [await model('candidate', 'Say {word}'), await model('incumbent', 'Say {word}')];
  const { status, json, text } = await start({ candidate, incumbent });
  expect([status, text]).toEqual([200, expect.any(String)]);
  const gate = await ended(json.id);
  expect(gate).toMatchObject({ state: 'decided', verdict: 'reject', number: 1 });
  const { gates } = (await server.get(`/v2/${project}/gates?suite=suite`)).json;
  expect(gates).toMatchObject([{ id: json.id, verdict: 'reject', threads: gate.progress.threads }]);
  const { json: key } = await server.get('/gates/public_key');
  const { text: envelope } = await server.get(`/v2/${project}/gates/${json.id}/verdict`);
  const { document, faults } = verifyVerdict(readEnvelope(envelope), createPublicKey(key.public_key));
  expect(faults).toEqual([]);
  expect(document.verdict).toEqual({ kind: 'reject', reasons: [{ kind: 'gain-too-small' }] });
});
