import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { send } from './load.ts';
import { prose } from './prose.ts';
import { randomFrom } from './random.ts';

/** What a small user sees: milliseconds of each answer, and how many requests did not get a 200. */
export type ClientFigures = { writesMs: number[]; readsMs: number[]; errors: Record<string, number> };

/**
 * Sends 200 small writes and 20 reads a second to a project of its own, on a thread of its own, whether or not the
 * answers come. Reads alternate between the newest 50 calls and a call by id.
 */
export function startWellBehavedClient(target: { address: string; key: string; project: string }): {
  stop(): Promise<ClientFigures>;
} {
  const worker = new Worker(new URL(import.meta.url), { workerData: target });
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.postMessage('stop');
      }),
  };
}

if (!isMainThread) {
  const { address, key, project } = workerData as { address: string; key: string; project: string };
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
      ...{ project_id: project, id, trace_id: randomUUID(), op_name: 'small', attributes: {}, summary: {} },
      ...{ started_at: new Date().toISOString(), ended_at: new Date().toISOString() },
      ...{ inputs: { prompt: prose(random, 500) }, output: { answer: prose(random, 200) } },
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
  parentPort!.once('message', async () => {
    for (const timer of timers) clearInterval(timer);
    while (pending.size > 0) await Promise.all(pending);
    agent.destroy();
    parentPort!.postMessage(figures);
    parentPort!.close();
  });
}
