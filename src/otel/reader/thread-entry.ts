import { giveWay } from '../../util/give-way.ts';
import { garbageCollector } from '../../util/release-memory.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import { type ReadOptions, readBodyHere, type Signal } from './readers.ts';

type Question = { signal: Signal; body: Uint8Array; options: ReadOptions };

export type ExportReader = typeof handlers;

const handlers = {
  read: ({ signal, body, options }: Question) => readBodyHere(signal, body, options),
};

/** The thread that reads large exports. */
giveWay();
serveRequests(handlers, { order: 'sequence', afterWork: garbageCollector() });
