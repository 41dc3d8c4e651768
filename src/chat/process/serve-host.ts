import type { RunningGeneration } from '../../engine/engine.ts';
import type { ChatGenerationRequest } from '../types.ts';
import { Host } from './host.ts';
import { Outbox } from './outbox.ts';
import { type Asked, type HostStart, type Told, toWireError } from './protocol.ts';

/**
 * Serves one model to the process that started this one: templates, tokens, sampling and scheduling. It must not import
 * what touches the stores: see `decisions/0010-processes-and-signals.md`.
 */
export function serveHost(): void {
  const outbox = new Outbox((told, whenWritten) => process.send!(told, whenWritten));
  // Messages of errors may quote what a request brought. Only where it happened may reach a log.
  process.on('uncaughtException', (error) => {
    const at = /^ +at .*/m.exec(error.stack ?? '')?.[0].trim();
    process.send!([{ type: 'failed', reason: [error.name, at].filter(Boolean).join(' ') }] satisfies Told[], () =>
      process.exit(1),
    );
  });
  process.once('message', async (start: HostStart) => {
    try {
      const host = await Host.open({ ...start, onLost: failLater }, () => outbox.flush());
      const served = new Served(host, outbox);
      process.on('message', (asked: Asked) => void served.answer(asked));
      outbox.tell({ type: 'opened' });
    } catch (error) {
      outbox.tell({ type: 'failedToOpen', error: toWireError(error as Error) });
    }
  });
}

/** Without its thread a model can do nothing more: the process ends, and the next request starts another. */
function failLater(cause: Error): void {
  setImmediate(() => {
    throw cause;
  });
}

class Served {
  readonly #host: Host;
  readonly #outbox: Outbox;
  readonly #running = new Map<number, RunningGeneration>();
  /** Requests that are being prepared. */
  readonly #preparing = new Map<number, AbortController>();

  constructor(host: Host, outbox: Outbox) {
    this.#host = host;
    this.#outbox = outbox;
  }

  async answer(asked: Asked): Promise<void> {
    switch (asked.type) {
      case 'generate':
        return this.#generate(asked.id, asked.request);
      case 'cancel':
        this.#preparing.get(asked.id)?.abort();
        return this.#running.get(asked.id)?.cancel();
      case 'close':
        for (const each of this.#running.values()) each.cancel();
        await this.#host.close();
        return process.exit();
      default:
        throw new Error(`unknown message ${JSON.stringify(asked satisfies never)}`);
    }
  }

  async #generate(id: number, request: ChatGenerationRequest): Promise<void> {
    const cancelled = new AbortController();
    this.#preparing.set(id, cancelled);
    const end = (error: Error | null) => this.#outbox.tell({ type: 'ended', id, error: error && toWireError(error) });
    try {
      const { accepted, start } = await this.#host.prepare(request, cancelled.signal);
      this.#outbox.tell({ type: 'accepted', id, accepted });
      const started = start({
        emit: (event) => this.#outbox.add(id, event),
        end: (error) => {
          this.#running.delete(id);
          end(error);
        },
      });
      this.#running.set(id, started);
      if (cancelled.signal.aborted) started.cancel();
    } catch (error) {
      end(error as Error);
    } finally {
      this.#preparing.delete(id);
    }
  }
}
