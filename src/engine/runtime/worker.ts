import { parentPort, workerData } from 'node:worker_threads';
import { openSession } from './open-session.ts';
import type { Answer, AnswerValue, Asked, WireError, WorkerStart } from './protocol.ts';
import type { RunContext } from './run.ts';
import { step } from './step.ts';
import type { StepResult } from './types.ts';

/** The thread that holds a model. It must not import what touches the stores: see `decisions/0002-embedded-engines.md`. */
const port = parentPort!;
const { path, options } = workerData as WorkerStart;

try {
  const { context, contextMax } = await openSession(path, options);
  // One at a time: while the graph runs, the caches must stay where they are.
  let last: Promise<unknown> = Promise.resolve();
  port.on('message', (asked: Asked) => {
    last = last.then(() => answer(context, asked));
  });
  send({ type: 'opened', config: context.config, contextMax });
} catch (error) {
  send({ type: 'failed', id: null, error: toWire(error as Error) });
}

async function answer(context: RunContext, asked: Asked): Promise<void> {
  try {
    const value = await perform(context, asked);
    send({ type: 'answered', id: asked.id, value }, Array.isArray(value) ? buffersOf(value) : []);
    if (asked.type === 'close') port.close();
  } catch (error) {
    send({ type: 'failed', id: asked.id, error: toWire(error as Error) });
  }
}

async function perform(context: RunContext, asked: Asked): Promise<AnswerValue> {
  switch (asked.type) {
    case 'step':
      return step(context, asked.requests);
    case 'fork':
      return context.cache.fork(asked.from, asked.to, asked.length);
    case 'release':
      context.cache.release(asked.sequence);
      return null;
    case 'cacheBytes':
      return context.cache.bytes;
    case 'close':
      await context.session.release();
      context.embedding.close();
      return null;
    default:
      throw new Error(`unknown message ${JSON.stringify(asked satisfies never)}`);
  }
}

/** The memory of results goes to the asking thread instead of being copied. */
function buffersOf(results: StepResult[]): ArrayBuffer[] {
  const arrays = results.flatMap((result) => Object.values(result).filter((value) => typeof value === 'object'));
  return [...new Set(arrays.map((array) => array.buffer as ArrayBuffer))];
}

function toWire({ name, message }: Error): WireError {
  return { name, message };
}

function send(message: Answer, transferred: ArrayBuffer[] = []): void {
  port.postMessage(message, transferred);
}
