import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StubProvider, startStubProvider } from '../src/providers/testing/stub-provider.ts';
import { type Heddle, runHeddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

const value = 'sk-recognizable-0123456789';
const data = testDataDirectory();
const project = 'ent/demo';
let stub: StubProvider;
let heddle: Heddle;
const settings = () => ({ HEDDLE_PROVIDER_HOSTS: stub.host, HEDDLE_LOG_LEVEL: 'trace' });
beforeAll(async () => {
  stub = await startStubProvider();
  heddle = await startHeddle(data, settings());
});
afterAll(async () => {
  await heddle.end('SIGKILL');
  await stub.close();
});

const chat = async () => {
  const inputs = { model: 'custom::stub::one', messages: [{ role: 'user', content: 'Hello' }] };
  return (await heddle.post('/completions/create', { project_id: project, inputs })).json.response;
};

test('a secret can be set while the server runs, is used and listed, and survives kill -9', async () => {
  const base = { _bases: ['Object', 'BaseModel'] };
  const publish = (object_id: string, val: object) =>
    heddle.post('/obj/create', { obj: { project_id: project, object_id, val } });
  await publish('stub', { ...base, _class_name: 'Provider', base_url: stub.url, api_key_name: 'STUB_KEY' });
  await publish('stub-one', { ...base, _class_name: 'ProviderModel', provider: 'stub', name: 'one', max_tokens: 1 });
  expect((await chat()).error).toMatch(/STUB_KEY is not set/);

  const set = await runHeddle(data, ['secrets', 'set', 'STUB_KEY', '--project', project], {}, `${value}\n`);
  expect(set).toMatchObject({ code: 0, out: '', err: expect.stringMatching(/Set STUB_KEY for ent\/demo/) });
  expect(await chat()).toMatchObject({ object: 'chat.completion' });
  expect(stub.received.at(-1)!.headers.authorization).toBe(`Bearer ${value}`);

  const listed = await runHeddle(data, ['secrets', 'list']);
  expect(listed.out).toMatch(/^NAME +FOR +HOSTS +SET\nSTUB_KEY +ent\/demo +any +\d{4}-\d{2}-\d{2}\n$/);

  await heddle.end('SIGKILL');
  heddle = await startHeddle(data, settings());
  expect(await chat()).toMatchObject({ object: 'chat.completion' });

  for (const status of [401, 500]) {
    stub.answers.push(...Array(4).fill({ status, json: { error: { message: `Bad key ${value}` } } }));
    expect((await chat()).error).toMatch(/Bad key REDACTED/);
    stub.answers.length = 0;
  }

  const shown = [set.out, set.err, listed.out, listed.err, heddle.log()].join('\n');
  expect(shown).not.toContain(value);
  expect(() => execFileSync('grep', ['-rla', value, data])).toThrow(); // no file contains it
  expect(statSync(join(data, 'secret.key')).mode & 0o777).toBe(0o600);

  const removed = await runHeddle(data, ['secrets', 'remove', 'STUB_KEY', '--project', project]);
  expect(removed).toMatchObject({ code: 0, err: 'Removed STUB_KEY of ent/demo.\n' });
  expect((await chat()).error).toMatch(/STUB_KEY is not set/);
});

test('invalid input prints an error and sets the exit code', async () => {
  const empty = await runHeddle(data, ['secrets', 'set', 'STUB_KEY'], {}, '\n');
  expect(empty).toMatchObject({ code: 1, err: 'heddle: The value of a secret must not be empty.\n' });
  const unknown = await runHeddle(data, ['secrets', 'remove', 'NOTHING']);
  expect(unknown).toMatchObject({ code: 1, err: 'heddle: There is no secret NOTHING in ent.\n' });
  const short = await runHeddle(data, ['secrets', 'list'], { HEDDLE_SECRET_KEY: 'too-short-to-be-a-key' });
  expect(short).toMatchObject({ code: 2, err: expect.stringMatching(/at least 32 characters \(found 21\)/) });
  expect(short.err).not.toContain('too-short');
});
