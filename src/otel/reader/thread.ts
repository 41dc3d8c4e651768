import { requestErrors } from '../../util/request-errors.ts';
import { sharedWorker } from '../../util/workers/restarting-worker.ts';
import { thread } from '../../util/workers/start-worker.ts';
import type { ReadExport } from '../read-export.ts';
import type { ReadOptions } from './read-body.ts';
import type { SpanReader } from './thread-entry.ts';

const reader = sharedWorker<SpanReader>(thread(new URL('./thread-entry.ts', import.meta.url)), {
  errors: requestErrors,
});

/** @throws Failure for bytes that are not an export of traces */
export function readInThread(body: Uint8Array, options: ReadOptions): Promise<ReadExport> {
  const copy = Uint8Array.prototype.slice.call(body); // a buffer of Node's may share its memory with others
  return reader.request('read', { body: copy, options }, { transfer: [copy.buffer as ArrayBuffer] });
}
