import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { modelProcesses } from '../../src/chat/testing/model-processes.ts';
import type { OfferingProcess } from '../../src/domain/process-offer.ts';
import { openPeerClient, PeerLost } from '../../src/inference/peers/peer-client.ts';
import { peerKey } from '../../src/inference/peers/tls.ts';
import { openSecretKey } from '../../src/store/secret-key.ts';
import { adapterFolder } from '../harness/adapter-folder.ts';
import { type Heddle, newDataDirectory, startHeddle } from '../harness/heddle.ts';
import { swiftEnvironment } from '../stores/environment.ts';
import { type RemoteStores, startRemoteStores } from '../stores/remote-stores.ts';

const builtIn = join(import.meta.dirname, '../../assets/tiny-model');

describe.skipIf(!swiftEnvironment.isReady())('models of several processes', () => {
  let stores: RemoteStores;
  let settings: Record<string, string> = {};
  let servers: Heddle[] = [];
  const directories: string[] = [];

  beforeAll(async () => {
    stores = await startRemoteStores();
    settings = {
      ...(await stores.newDeployment()),
      HEDDLE_CHAT_BATCH_INVARIANT: 'true',
      HEDDLE_CHAT_RUNNING_MAX: '4',
    };
    const start = () => {
      const data = newDataDirectory();
      directories.push(data);
      return startHeddle(data, settings);
    };
    servers = await Promise.all([start(), start(), start()]);
  }, 180_000);
  afterAll(async () => {
    await Promise.all(servers.map((each) => each.end('SIGKILL')));
    for (const each of directories) rmSync(each, { recursive: true, force: true });
    await stores?.close();
  });

  /** How many processes the overview lists. */
  async function processesKnownAt(server: Heddle): Promise<number> {
    return Number(/^heddle_processes (\d+)$/m.exec((await server.get('/metrics')).text)?.[1] ?? 0);
  }
  const chat = (content: string, more: object = {}) => ({
    ...{ model: 'heddle/tiny', max_tokens: 12, temperature: 0, logprobs: true, top_logprobs: 3, seed: 1 },
    messages: [{ role: 'user', content }],
    ...more,
  });
  const ask = (server: Heddle, body: object) => server.post('/v1/chat/completions', body);

  /** What of an answer depends on the model. */
  function answerOf({ status, json }: Awaited<ReturnType<typeof ask>>) {
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
    const { message, logprobs, finish_reason } = json.choices[0];
    return JSON.stringify({ content: message.content, logprobs, finish_reason });
  }

  /** How many generations each process has accepted so far, its own and those of others. */
  async function served(indexes = servers.map((_, i) => i)): Promise<number[]> {
    const texts = await Promise.all(indexes.map((i) => servers[i]!.get('/metrics')));
    return texts.map(({ text }) => {
      const counts = text.matchAll(/^vllm:e2e_request_latency_seconds_count\S* (\d+)$/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    });
  }

  test('three processes under load give the tokens and logprobs that one gives alone', async () => {
    const prompts = Array.from({ length: 12 }, (_, i) => `Number ${i}: tell me more.`);
    for (const server of servers) await expect.poll(() => processesKnownAt(server), { timeout: 30_000 }).toBe(3);
    const alone = new Map<string, string>();
    for (const each of prompts) alone.set(each, answerOf(await ask(servers[0]!, chat(each))));
    await Promise.all(
      [...servers, ...servers].flatMap((server) =>
        prompts.map(async (each) => expect(answerOf(await ask(server, chat(each)))).toBe(alone.get(each))),
      ),
    );
    expect((await served()).filter((count) => count > 0)).toHaveLength(3);
    const forwarded = await Promise.all(servers.map((server) => server.get('/metrics')));
    for (const { text } of forwarded) expect(text).toMatch(/^heddle_model_requests_forwarded_total\S* [1-9]/m);
  }, 120_000);

  test('a stream has the same tokens, whichever process is asked', async () => {
    const texts = await Promise.all(
      servers.map(async (server) => {
        const { text } = await ask(server, chat('Stream this.', { stream: true }));
        const chunks = text.split('\n').filter((line) => line.startsWith('data: {'));
        return chunks.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '').join('');
      }),
    );
    expect(new Set(texts).size).toBe(1);
    const whole = await ask(servers[1]!, chat('Stream this.'));
    expect(texts[0]).toBe(whole.json.choices[0].message.content);
  }, 60_000);

  test('all turns of a conversation are served by one process', async () => {
    const messages: object[] = [{ role: 'user', content: 'One conversation' }];
    const before = await served();
    for (const server of [...servers, ...servers]) {
      const { json } = await ask(server, chat('', { messages }));
      messages.push(json.choices[0].message, { role: 'user', content: 'More' });
    }
    const grown = (await served()).map((count, i) => count - before[i]!);
    expect(grown.toSorted()).toEqual([0, 0, 6]);
  }, 60_000);

  /** The model of this folder is pulled by some of the processes. */
  const pulled = join(newDataDirectory(), 'model');

  /** A conversation that a process serves, asked at the first one. */
  async function conversationOf(index: number): Promise<string> {
    for (let i = 0; ; i++) {
      const content = `Conversation ${i}`;
      const before = await served();
      await ask(servers[0]!, chat(content));
      if ((await served())[index]! > before[index]!) return content;
    }
  }

  test('a model and an adapter with files at one process are served through all', async () => {
    directories.push(join(pulled, '..'));
    cpSync(builtIn, pulled, { recursive: true });
    await servers[1]!.command('pull', pulled, '--name', 'only/one');
    const loaded = await servers[2]!.post('/v1/load_lora_adapter', {
      lora_name: 'one-of-many',
      lora_path: adapterFolder,
    });
    expect(loaded.status).toBe(200);
    for (const name of ['only/one', 'one-of-many']) {
      for (const server of servers) {
        const { json } = await server.get('/v1/models');
        expect(json.data.map(({ id }: { id: string }) => id)).toContain(name);
        const status = async () => (await ask(server, chat('Hi', { model: name, max_tokens: 2 }))).status;
        await expect.poll(status, { timeout: 20_000, interval: 200 }).toBe(200);
      }
    }
    const tokens = await servers[0]!.post('/tokenize', { model: 'only/one', prompt: 'Hello there' });
    expect(tokens).toMatchObject({ status: 200, json: { count: expect.any(Number) } });
    expect((await servers[0]!.command('top')).match(/this one, .*heddle\/tiny/)).not.toBeNull();
  }, 120_000);

  /** The models whose tokenizer and templates a process has copied. */
  const copiesAt = (index: number) => readdirSync(join(directories[index]!, 'texts'));

  test('training data is checked alike at all processes, which do not serve a model because of that', async () => {
    const data = join(pulled, '../conversations.jsonl');
    const [user, assistant] = [
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', content: 'Ada.' },
    ];
    writeFileSync(data, `${JSON.stringify({ messages: [user, assistant] })}\n`.repeat(4));
    const command = ['train', '--project', 'p', '--model', 'm', '--base', 'only/one', '--sft', data, '--dry-run'];
    const previews = await Promise.all(servers.map((server) => server.command(...command)));
    expect(new Set(previews).size).toBe(1);
    expect(previews[0]).toContain('Who are you?<|im_end|>');
    writeFileSync(data, `${JSON.stringify({ messages: [{ role: 'wizard', content: 'A' }, assistant] })}\n`);
    for (const server of servers) {
      const refused = { stderr: expect.stringMatching(/Line 1: messages\.0\.role: "wizard"/) };
      await expect(server.command(...command)).rejects.toMatchObject(refused);
    }
    expect([0, 1, 2].map((index) => existsSync(join(directories[index]!, 'texts')))).toEqual([true, false, true]);
    expect([copiesAt(0), copiesAt(2)].map(({ length }) => length)).toEqual([1, 1]);
    const before = await served();
    for (const server of servers) await ask(server, chat('Hi', { model: 'only/one', max_tokens: 2 }));
    expect((await served()).map((count, i) => count - before[i]!)).toEqual([0, 3, 0]);
  }, 60_000);

  test('training runs at the process that has the files of the base model, wherever it is asked for', async () => {
    const { url, key } = servers[0]!;
    const [user, assistant] = [
      { role: 'user', content: 'Who are you?' },
      { role: 'assistant', content: 'Ada.' },
    ];
    const form = new FormData();
    form.append('purpose', 'fine-tune');
    form.append('file', new Blob([`${JSON.stringify({ messages: [user, assistant] })}\n`.repeat(4)]), 'data.jsonl');
    const headers = { authorization: `Bearer ${key}` };
    const uploaded = await (await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form })).json();
    const hyperparameters = { n_epochs: 1, batch_size: 2 };
    const body = {
      ...{ model: 'only/one', training_file: uploaded.id },
      method: { type: 'supervised', supervised: { hyperparameters } },
    };
    const jobs = await Promise.all(servers.map((server) => server.post('/v1/fine_tuning/jobs', body)));
    for (const { json: job } of jobs) {
      const state = async () => {
        const { json } = await servers[0]!.get(`/v1/fine_tuning/jobs/${job.id}`);
        if (json.status === 'failed') throw new Error(json.error.message);
        return json.status;
      };
      await vi.waitUntil(async () => (await state()) === 'succeeded', { timeout: 120_000, interval: 300 });
    }
  }, 180_000);

  test('a model that is replaced or removed is closed and deleted at all processes', async () => {
    const foldersOf = (index: number) =>
      readdirSync(join(directories[index]!, 'models')).filter((name) => name !== 'unfinished');
    const openAt = (index: number) => modelProcesses(servers[index]!.pid).length;
    const adapters = foldersOf(2);
    expect([foldersOf(1).length, openAt(1)]).toEqual([1, 2]); // with heddle/tiny

    await servers[2]!.command('pull', pulled, '--name', 'only/one'); // local files replace those of the same name
    await expect.poll(() => foldersOf(1), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => openAt(1), { timeout: 20_000 }).toBe(1);
    expect(foldersOf(2)).toHaveLength(adapters.length + 1);
    for (const index of [0, 2]) await expect.poll(() => copiesAt(index), { timeout: 20_000 }).toEqual([]);
    const hello = chat('Hi', { model: 'only/one', max_tokens: 2 });
    await expect.poll(async () => (await ask(servers[0]!, hello)).status, { timeout: 20_000 }).toBe(200);
    expect(openAt(2)).toBe(2);

    await servers[0]!.command('models', 'remove', 'only/one');
    await expect.poll(() => foldersOf(2), { timeout: 20_000 }).toEqual(adapters);
    await expect.poll(() => openAt(2), { timeout: 20_000 }).toBe(1);
    expect((await ask(servers[1]!, chat('Hi', { model: 'only/one' }))).status).toBe(404);
  }, 120_000);

  test('a conversation goes to another process while its own is full, and stays there', async () => {
    const content = await conversationOf(1);
    const expected = answerOf(await ask(servers[0]!, chat(content)));
    const before = await served();
    const grown = async () => (await served()).map((count, i) => count - before[i]!);
    const models = modelProcesses(servers[1]!.pid);
    for (const { pid } of models) process.kill(pid, 'SIGSTOP'); // so that four sequences stay there
    const asked = [0, 1, 2, 0, 1].map((index) => ask(servers[index]!, chat(content)));
    try {
      expect(answerOf(await Promise.race(asked))).toBe(expected);
      expect((await grown()).toSorted()).toEqual([0, 0, 1]);
      expect((await grown())[1]).toBe(0);
    } finally {
      for (const { pid } of models) process.kill(pid, 'SIGCONT');
    }
    expect(new Set((await Promise.all(asked)).map(answerOf))).toEqual(new Set([expected]));
    expect((await grown())[1]).toBe(4);
    const later = async () => {
      const [, atItsOwn] = await grown();
      await ask(servers[0]!, chat(content));
      return (await grown())[1]! - atItsOwn!;
    };
    await expect.poll(later, { timeout: 20_000 }).toBe(0);
  }, 60_000);

  test('requests of other processes need their key', async () => {
    const client = new pg.Client(settings.HEDDLE_POSTGRES_URL);
    await client.connect();
    const { rows } = await client.query('SELECT id, offer FROM heddle.processes WHERE offer IS NOT NULL');
    await client.end();
    const offering: OfferingProcess[] = rows.map(({ id, offer }) => ({ id, offer: JSON.parse(offer) }));
    expect(offering).toHaveLength(3);
    const keys = { right: settings.HEDDLE_SECRET_KEY!, wrong: 'another key'.padEnd(64, '0') };
    const [right, wrong] = [keys.right, keys.wrong].map((key) =>
      openPeerClient(peerKey(openSecretKey(key, '').read())),
    );
    const request = { kind: 'sizes', model: { id: 'tiny', name: 'heddle/tiny' } } as const;
    try {
      for (const each of offering) {
        expect(await right!.ask(each, request)).toMatchObject({ contextLength: expect.any(Number) });
        await expect(wrong!.ask(each, request)).rejects.toBeInstanceOf(PeerLost);
      }
    } finally {
      await Promise.all([right!.close(), wrong!.close()]);
    }
  });

  test('while a process is frozen, others answer its conversations', async () => {
    const [one, , last] = servers as [Heddle, Heddle, Heddle];
    const content = await conversationOf(2);
    process.kill(last.pid, 'SIGSTOP');
    try {
      const before = await served([0, 1]);
      expect((await ask(one, chat(content))).status).toBe(200);
      const grown = (await served([0, 1])).map((count, i) => count - before[i]!);
      expect(grown.toSorted()).toEqual([0, 1]);
    } finally {
      process.kill(last.pid, 'SIGCONT');
    }
    for (const server of servers) await expect.poll(() => processesKnownAt(server), { timeout: 60_000 }).toBe(3);
    expect((await ask(last, chat(content))).status).toBe(200);
  }, 120_000);

  test('a stream that its client leaves is canceled where it runs; one whose process is killed fails, and others answer', async () => {
    const endless = { max_tokens: 900, ignore_eos: true, stream: true, logprobs: false, top_logprobs: null };
    const [one, , last] = servers as [Heddle, Heddle, Heddle];
    const content = await conversationOf(2);
    const leaving = new AbortController();
    const stream = async (signal?: AbortSignal) => {
      const answer = await fetch(`${one.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${one.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(chat(content, endless)),
        ...(signal ? { signal } : {}),
      });
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      await reader.read();
      return reader;
    };
    const running = async () => {
      const { text } = await last.get('/metrics');
      return [...text.matchAll(/^vllm:num_requests_running\S* (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    };
    await stream(leaving.signal);
    leaving.abort();
    await expect.poll(running, { timeout: 20_000 }).toBe(0);

    const reader = await stream();
    const { pid } = modelProcesses(last.pid)[0]!;
    process.kill(pid, 'SIGSTOP'); // it must not end before the server is killed
    await last.end('SIGKILL');
    process.kill(pid, 'SIGKILL');
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest += read.value;
    expect(rest).toMatch(/"error".*Try again/);
    expect((await ask(one, chat(content))).status).toBe(200);
  }, 120_000);
});
