import { createClient } from '@clickhouse/client';
import { PGlite } from '@electric-sql/pglite';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { currentScope } from '../../util/request-scope.ts';
import { type TestServer, testServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Notes the statements that requests send to the stores, and lets them through. */
function noteStatements(): string[] {
  const noted: string[] = [];
  const note = (sql: string) => {
    if (currentScope() !== null) noted.push(sql);
  };
  const client = createClient();
  const clickhouse = Object.getPrototypeOf(client) as Pick<typeof client, 'exec' | 'command'>;
  const { exec, command } = clickhouse;
  vi.spyOn(clickhouse, 'exec').mockImplementation(function (this: typeof client, params) {
    note(params.query);
    return exec.call(this, params) as never;
  });
  vi.spyOn(clickhouse, 'command').mockImplementation(function (this: typeof client, params) {
    note(params.query);
    return command.call(this, params);
  });
  const { query } = PGlite.prototype;
  vi.spyOn(PGlite.prototype, 'query').mockImplementation(function (this: PGlite, ...words) {
    note(words[0]);
    return query.apply(this, words) as never;
  });
  return noted;
}

test('a chat to a policy adds no statement to those of a chat to the model itself', async () => {
  const project = await server.newProject();
  const message = { role: 'system', content: 'Be brief.' };
  const val = { _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] };
  const prompt = { project_id: project, object_id: 'brief', val: { ...val, messages: [message] } };
  expect((await server.post('/obj/create', { obj: prompt })).status).toBe(200);
  const made = await server.post(`/v2/${project}/policies`, {
    ...{ name: 'bot', incumbent: 'now', traffic: { kind: 'best_arm', scorer: 'liked' } },
    variants: [
      { name: 'now', model: 'heddle/tiny' },
      { name: 'next', model: 'heddle/tiny', prompt: 'brief' },
    ],
    scorers: [{ reward: 'liked', window_seconds: 60 }],
  });
  expect(made.status).toBe(200);
  const variants = new Set<string>();
  const chat = async (model: string, thread: string, stream = false) => {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1, stream };
    const headers = { 'X-Session-ID': thread, 'X-Heddle-Project': project };
    const answer = await server.post('/v1/chat/completions', body, { headers });
    expect(answer.status).toBe(200);
    variants.add(answer.headers.get('x-heddle-variant') ?? '');
  };
  const policy = `policy:///${project}/bot`;
  const threads = Array.from({ length: 12 }, (_, i) => `t${i}`);

  const noted = noteStatements();
  const ofChats = async (model: string, stream: boolean) => {
    const before = noted.length;
    for (const thread of threads) await chat(model, thread, stream);
    return noted.slice(before).sort();
  };
  const first = await ofChats(policy, false); // reads the policy, and what its variants are
  expect(first.length).toBeGreaterThan(0);
  expect(first.some((sql) => sql.includes('policy_versions'))).toBe(true);
  expect((await server.post('/calls/stream_query', { project_id: project })).status).toBe(200);
  expect(noted.some((sql) => sql.includes('FROM calls'))).toBe(true);
  expect(variants).toEqual(new Set(['now', 'next']));
  await ofChats('heddle/tiny', false);
  for (const stream of [false, true])
    expect(await ofChats(policy, stream)).toEqual(await ofChats('heddle/tiny', stream));
});
