import { giveWay } from '../../util/give-way.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import { type WorkName, work } from './work.ts';

const handlers = {
  work: ({ name, args }: { name: WorkName; args: unknown[] }): unknown =>
    (work[name] as (...args: unknown[]) => unknown)(...args),
};

export type LargeWork = typeof handlers;

/** The thread that works on large payloads. */
giveWay();
serveRequests(handlers, { order: 'sequence' });
