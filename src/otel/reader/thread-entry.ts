import { serveRequests } from '../../util/workers/serve-requests.ts';
import { type ReadOptions, readBodyHere } from './read-body.ts';

const handlers = {
  read: ({ body, options }: { body: Uint8Array; options: ReadOptions }) => readBodyHere(body, options),
};

export type SpanReader = typeof handlers;

/** The thread that reads large exports. */
serveRequests(handlers, { order: 'sequence' });
