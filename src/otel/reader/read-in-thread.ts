import { requestErrors } from '../../util/request-errors.ts';
import { sharedWorker } from '../../util/workers/restarting-worker.ts';
import { thread } from '../../util/workers/start-worker.ts';
import type { ReadBody, ReadOptions, Signal } from './readers.ts';
import type { ExportReader } from './thread-entry.ts';

const reader = sharedWorker<ExportReader>(thread(new URL('./thread-entry.ts', import.meta.url)), {
  errors: requestErrors,
  endsWhenIdle: true,
});

/** @throws Failure if the bytes are not an export */
export async function readInThread<Of extends Signal>(
  signal: Of,
  body: Uint8Array,
  options: ReadOptions,
): Promise<ReadBody<Of>> {
  const copy = Uint8Array.prototype.slice.call(body); // Node's buffers can share their memory with others
  const read = await reader.request(
    'read',
    { signal, body: copy, options },
    { transfer: [copy.buffer as ArrayBuffer] },
  );
  return read as ReadBody<Of>;
}
