import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { shiftClock } from '../../testing/shifted-clock.ts';
import { countScores, opOf, publishMonitor } from '../chaos/watched-calls.ts';
import type { Heddle } from '../harness/heddle.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { openClient } from '../kills/client.ts';
import { swiftEnvironment } from '../stores/environment.ts';
import { processesForFile } from './processes.ts';

const shiftsMs = [5000, -5000, 0];
const timeoutMs = 60_000;

describe.skipIf(!swiftEnvironment.isReady())('processes whose clocks are 10 s apart', () => {
  const { servers } = processesForFile(3, (index) => ({ NODE_OPTIONS: shiftClock(shiftsMs[index]!) }));

  /** Each server with each other one. */
  const pairs = (): [Heddle, Heddle][] =>
    servers.flatMap((one) => servers.filter((other) => other !== one).map((other): [Heddle, Heddle] => [one, other]));

  test('their clocks differ', async () => {
    const times = await Promise.all(
      servers.map(async ({ url, key }) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const body = {
          project_id: 'ent/clocks',
          feedback_type: 'note',
          weave_ref: ref('clocks', 'c'),
          payload: { note: 'n' },
        };
        const answer = await fetch(`${url}/feedback/create`, { method: 'POST', headers, body: JSON.stringify(body) });
        return Date.parse(((await answer.json()) as { created_at: string }).created_at);
      }),
    );
    expect(times[0]! - times[1]!).toBeGreaterThan(7_000);
  });

  test(
    'a call has what was written last, wherever it was started, ended, renamed and deleted',
    async () => {
      const startedAt = new Date().toISOString();
      for (const [i, [one, other]] of pairs().entries()) {
        const project = `ent/calls${i}`;
        const id = randomUUID();
        const base = { project_id: project, id, trace_id: randomUUID(), op_name: 'op', started_at: startedAt };
        await ok(one, '/call/start', { start: { ...base, attributes: {}, inputs: { i } } });
        await ok(one, '/call/update', { project_id: project, call_id: id, display_name: 'first' });
        const end = { project_id: project, id, ended_at: startedAt, output: 'out', summary: {} };
        await ok(other, '/call/end', { end });
        await ok(other, '/call/update', { project_id: project, call_id: id, display_name: 'second' });
        for (const server of servers) {
          const [call] = await storedCalls(server, project);
          expect(call).toMatchObject({ inputs: { i }, output: 'out', display_name: 'second' });
        }
        await ok(other, '/calls/delete', { project_id: project, call_ids: [id] });
        for (const server of servers) expect(await storedCalls(server, project)).toEqual([]);
      }
    },
    timeoutMs,
  );

  test(
    'feedback that another process replaces or purges is replaced and gone',
    async () => {
      for (const [i, [one, other]] of pairs().entries()) {
        const project = `ent/feedback${i}`;
        const feedback = { project_id: project, feedback_type: 'note', weave_ref: ref(`feedback${i}`, 'c') };
        const { id } = await ok(one, '/feedback/create', { ...feedback, payload: { note: 'old' } });
        const replacement = { ...feedback, id, feedback_id: id, payload: { note: 'new' } };
        await ok(other, '/feedback/replace', replacement);
        const query = { project_id: project };
        for (const server of servers) {
          const { result } = await ok(server, '/feedback/query', query);
          expect(result).toMatchObject([{ id, payload: { note: 'new' } }]);
        }
        const all = { $expr: { $eq: [{ $getField: 'id' }, { $literal: id }] } };
        await ok(one, '/feedback/purge', { project_id: project, query: all });
        for (const server of servers) expect((await ok(server, '/feedback/query', query)).result).toEqual([]);
      }
    },
    timeoutMs,
  );

  test(
    'feedback has what was created last with its id, wherever it was created and purged before',
    async () => {
      for (const [i, [one, other]] of pairs().entries()) {
        const project = `ent/reused${i}`;
        const about = { project_id: project, feedback_type: 'note', weave_ref: ref(`reused${i}`, 'c') };
        const id = randomUUID();
        const noted = (note: string) => ({ ...about, id, payload: { note } });
        const purge = (server: Heddle) =>
          ok(server, '/feedback/purge', {
            project_id: project,
            query: { $expr: { $eq: [{ $getField: 'id' }, { $literal: id }] } },
          });
        const notes = () =>
          Promise.all(
            servers.map(async (server) => {
              const { result } = await ok(server, '/feedback/query', { project_id: project });
              return result.map(({ payload }: { payload: { note: string } }) => payload.note);
            }),
          );
        const everywhere = (...expected: string[]) => servers.map(() => expected);

        await ok(one, '/feedback/create', noted('created'));
        await purge(one);
        await ok(other, '/feedback/create', noted('created again'));
        expect(await notes()).toEqual(everywhere('created again'));

        await ok(one, '/feedback/create', noted('third'));
        await ok(other, '/feedback/batch/create', { batch: [noted('fourth'), noted('last of a batch')] });
        expect(await notes()).toEqual(everywhere('last of a batch'));

        await purge(one);
        const { id: replaced } = await ok(one, '/feedback/create', { ...about, payload: { note: 'replaced' } });
        await ok(other, '/feedback/replace', { ...noted('replacement'), feedback_id: replaced });
        expect(await notes()).toEqual(everywhere('replacement'));
      }
    },
    timeoutMs,
  );

  test(
    'a monitor scores each call that is written after it once, at whatever process and with whatever times',
    async () => {
      for (const [i, publisher] of servers.entries()) {
        const project = `ent/monitored${i}`;
        await publishMonitor(openClient(publisher, ''), project);
        const ids: string[] = [];
        for (const server of servers)
          for (const atMs of shiftsMs) ids.push(...(await writeCalls(server, project, Date.now() + atMs)));
        const scores = () => Promise.all(servers.map((server) => countScores(openClient(server, ''), project)));
        const once = () => servers.map(() => new Map(ids.toSorted().map((id) => [id, 1])));
        const sorted = async () => (await scores()).map((counts) => new Map([...counts].toSorted()));
        await vi.waitFor(async () => expect(await sorted()).toEqual(once()), { timeout: 30_000, interval: 500 });
        // A further pass, after which nothing is scored again.
        ids.push(...(await writeCalls(publisher, project, Date.now())));
        await vi.waitFor(async () => expect(await sorted()).toEqual(once()), { timeout: 30_000, interval: 500 });
      }
    },
    2 * timeoutMs,
  );

  test(
    'the version of an object that is published last is the latest, wherever it is published',
    async () => {
      for (const [i, [one, other]] of pairs().entries()) {
        const project = `ent/objects${i}`;
        const publish = async (server: Heddle, name: string) => {
          const val = { _type: 'Scorer', _class_name: 'Scorer', _bases: ['Object', 'BaseModel'], name };
          return (await ok(server, '/obj/create', { obj: { project_id: project, object_id: 'o', val } })).digest;
        };
        const latest = async (server: Heddle) => {
          const read = { project_id: project, object_id: 'o', digest: 'latest' };
          const { obj } = await ok(server, '/obj/read', read);
          const scorer = await server.get(`/v2/${project}/scorers/o/versions/latest`);
          return [obj.digest, scorer.json.digest];
        };
        const first = await publish(one, 'first');
        const second = await publish(other, 'second');
        for (const server of servers) expect(await latest(server)).toEqual([second, second]);
        await publish(one, 'first');
        for (const server of servers) expect(await latest(server)).toEqual([first, first]);
      }
    },
    timeoutMs,
  );

  test(
    'the price that is set last applies, wherever it is set',
    async () => {
      for (const [i, [one, other]] of pairs().entries()) {
        const project = `ent/prices${i}`;
        const set = (server: Heddle, price: number) =>
          ok(server, '/cost/create', {
            project_id: project,
            costs: { m: { prompt_token_cost: price, completion_token_cost: 0 } },
          });
        await set(one, 1);
        await set(other, 2);
        const summary = { usage: { m: { prompt_tokens: 1, requests: 1 } } };
        const [id] = await writeCalls(one, project, Date.now() + 60_000, { summary });
        for (const server of servers) {
          const { call } = await ok(server, '/call/read', { project_id: project, id, include_costs: true });
          expect(call.summary.weave.costs.m.prompt_tokens_total_cost).toBe(2);
        }
      }
    },
    timeoutMs,
  );

  test(
    'keys, sign-in links and sessions are accepted everywhere until they end',
    async () => {
      const page = { 'x-heddle-page': '1', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
      for (const [one, other] of pairs()) {
        const [, token] = /#(\w+)/.exec(await one.command('sign-in'))!;
        const signedIn = await fetch(`${other.url}/session`, {
          method: 'POST',
          headers: page,
          body: JSON.stringify({ link_token: token }),
        });
        expect(signedIn.status).toBe(200);
        const [, session] = /=(\w+)/.exec(signedIn.headers.get('set-cookie')!)!;
        const read = ({ url }: Heddle) => {
          const cookie = `heddle-session-${new URL(url).port}=${session}`;
          return fetch(`${url}/session`, { headers: { ...page, cookie } }).then(({ status }) => status);
        };
        expect(await Promise.all(servers.map(read))).toEqual([200, 200, 200]);

        const { id, key } = await ok(one, '/keys', { name: 'laptop' });
        const use = ({ url }: Heddle) =>
          fetch(`${url}/keys`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status);
        expect(await Promise.all(servers.map(use))).toEqual([200, 200, 200]);
        const revoked = { method: 'DELETE', headers: { authorization: `Bearer ${other.key}` } };
        expect((await fetch(`${other.url}/keys/${id}`, revoked)).status).toBe(200);
        expect(await Promise.all(servers.map(use))).toEqual([401, 401, 401]);
        expect(await Promise.all(servers.map(read))).toEqual([401, 401, 401]); // with any key of their user
      }
    },
    timeoutMs,
  );
});

const ref = (project: string, call: string) => `weave:///ent/${project}/call/${call}`;

/** A call in one piece, and one as a start and an end. @returns their ids */
async function writeCalls(server: Heddle, project: string, atMs: number, { summary = {} } = {}): Promise<string[]> {
  const at = new Date(atMs).toISOString();
  const [whole, split] = [randomUUID(), randomUUID()];
  const base = { project_id: project, op_name: opOf(project), started_at: at, attributes: {}, inputs: {} };
  const end = { project_id: project, ended_at: at, output: 'yes', summary };
  await ok(server, `/v2/${project}/calls/complete`, { batch: [{ ...base, ...end, id: whole, trace_id: whole }] });
  await ok(server, '/call/start', { start: { ...base, id: split, trace_id: split } });
  await ok(server, '/call/end', { end: { ...end, id: split } });
  return [whole, split];
}

async function ok(server: Heddle, path: string, body: unknown) {
  const answer = await server.post(path, body);
  expect(`${answer.status} ${answer.status === 200 ? '' : answer.text}`).toBe('200 ');
  return answer.json;
}
