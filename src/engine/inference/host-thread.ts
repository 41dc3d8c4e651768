import { parentPort, workerData } from 'node:worker_threads';
import { Host, type Running } from './host.ts';
import { type Asked, type HostStart, type Told, toWireError } from './protocol.ts';
import type { GenerateRequest, GenerationEvent } from './types.ts';

/**
 * The thread of one model: templates, tokens, sampling and scheduling, away from the one that answers requests. It must
 * not import what touches the stores: see `decisions/0002-embedded-engines.md`.
 */
const port = parentPort!;
const running = new Map<number, Running>();
/** Requests that are being prepared. */
const preparing = new Map<number, AbortController>();
let events: [number, GenerationEvent][] = [];

try {
  const host = await Host.open(workerData as HostStart, flush);
  port.on('message', (asked: Asked) => void answer(host, asked));
  tell({ type: 'opened' });
} catch (error) {
  tell({ type: 'failedToOpen', error: toWireError(error as Error) });
}

async function answer(host: Host, asked: Asked): Promise<void> {
  switch (asked.type) {
    case 'generate':
      return generate(host, asked.id, asked.request);
    case 'cancel':
      preparing.get(asked.id)?.abort();
      return running.get(asked.id)?.cancel();
    case 'close':
      for (const each of running.values()) each.cancel();
      await host.close();
      return tell({ type: 'closed' });
    default:
      throw new Error(`unknown message ${JSON.stringify(asked satisfies never)}`);
  }
}

async function generate(host: Host, id: number, request: GenerateRequest): Promise<void> {
  const cancelled = new AbortController();
  preparing.set(id, cancelled);
  try {
    const { accepted, start } = await host.prepare(request, cancelled.signal);
    tell({ type: 'accepted', id, accepted });
    const started = start({
      emit: (event) => events.push([id, event]),
      end(error) {
        flush();
        running.delete(id);
        tell({ type: 'ended', id, error: error && toWireError(error) });
      },
    });
    running.set(id, started);
    if (cancelled.signal.aborted) started.cancel();
  } catch (error) {
    tell({ type: 'ended', id, error: toWireError(error as Error) });
  } finally {
    preparing.delete(id);
  }
}

function flush(): void {
  if (events.length === 0) return;
  tell({ type: 'events', events });
  events = [];
}

function tell(message: Told): void {
  port.postMessage(message);
}
