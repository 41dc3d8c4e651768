import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { type ClientThread, measureUntilStopped, startClientThread } from './client-thread.ts';
import { send } from './load.ts';
import { prose } from './prose.ts';
import { randomFrom } from './random.ts';

/** What a small user sees: milliseconds of each answer, and how many requests did not get a 200. */
export type ClientFigures = { writesMs: number[]; readsMs: number[]; errors: Record<string, number> };

type Target = { address: string; key: string; project: string };

/**
 * Sends 200 small writes and 20 reads a second to a project of its own, whether or not the answers come. Reads alternate
 * between the newest 50 calls and a call by id.
 */
export function startWellBehavedClient(target: Target): ClientThread<ClientFigures> {
  return startClientThread(import.meta.url, target);
}

measureUntilStopped(({ address, key, project }: Target) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const figures: ClientFigures = { writesMs: [], readsMs: [], errors: {} };
  const pending = new Set<Promise<void>>();
  const random = randomFrom(1);
  let lastId = '';

  const ask = (path: string, body: unknown, times: number[], onSuccess = () => {}) => {
    const shot = { path, headers, body: Buffer.from(JSON.stringify(body)) };
    const done = send(address, agent, shot)
      .then(({ status, ms }) => {
        times.push(ms);
        if (status === 200) return onSuccess();
        figures.errors[status] = (figures.errors[status] ?? 0) + 1;
      })
      .catch((error: NodeJS.ErrnoException) => {
        const name = error.code ?? error.message;
        figures.errors[name] = (figures.errors[name] ?? 0) + 1;
      })
      .finally(() => pending.delete(done));
    pending.add(done);
  };

  const write = () => {
    const id = randomUUID();
    const call = {
      project_id: project,
      id,
      trace_id: randomUUID(),
      op_name: 'small',
      attributes: {},
      summary: {},
      started_at: new Date().toISOString(),
      ended_at: new Date().toISOString(),
      inputs: { prompt: prose(random, 500) },
      output: { answer: prose(random, 200) },
    };
    ask(`/v2/${project}/calls/complete`, { batch: [call] }, figures.writesMs, () => {
      lastId = id;
    });
  };
  let reads = 0;
  const read = () => {
    if (reads++ % 2 === 0 && lastId !== '') {
      ask('/call/read', { project_id: project, id: lastId }, figures.readsMs);
    } else {
      const newest = { sort_by: [{ field: 'started_at', direction: 'desc' }], limit: 50 };
      ask('/calls/stream_query', { project_id: project, ...newest }, figures.readsMs);
    }
  };

  const timers = [setInterval(write, 5), setInterval(read, 50)];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    while (pending.size > 0) await Promise.all(pending);
    agent.destroy();
    return figures;
  };
});
