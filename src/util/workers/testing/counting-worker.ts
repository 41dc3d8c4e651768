import { parentPort } from 'node:worker_threads';
import { type Scope, Transferring } from '../messages.ts';
import { serveRequests } from '../serve-requests.ts';
import { CountingError } from './counting-error.ts';

let cancelled = 0;

const handlers = {
  double: (value: number): number => 2 * value,
  async count(to: number, { signal, emit }: Scope<number>): Promise<string> {
    for (let i = 1; i <= to; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) {
        cancelled++;
        return 'cancelled';
      }
      emit(i);
    }
    return 'done';
  },
  cancelled: (): number => cancelled,
  bytes: (size: number): Transferring<Uint8Array> => {
    const bytes = new Uint8Array(size).fill(7);
    return new Transferring(bytes, [bytes.buffer]);
  },
  fail(count: number): never {
    throw new CountingError('failed', count);
  },
  crash(): void {
    setImmediate(() => {
      throw new Error('nobody catches this');
    });
  },
  never: (): Promise<void> => new Promise(() => {}),
  isThread: (): boolean => parentPort !== null,
};

export type CountingWorker = typeof handlers;

serveRequests(handlers, { order: 'concurrent' });
