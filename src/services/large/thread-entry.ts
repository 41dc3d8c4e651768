import { buffersOf, type DigestList } from '../../domain/digest/digest-list.ts';
import { type ChangedList, changeList, type ListChanges } from '../../domain/tables/table-changes.ts';
import { giveWay } from '../../util/give-way.ts';
import { garbageCollector } from '../../util/release-memory.ts';
import { Transferring } from '../../util/workers/messages.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';
import { type WorkName, work } from './work.ts';

const handlers = {
  work: ({ name, args }: { name: WorkName; args: unknown[] }): unknown =>
    (work[name] as (...args: unknown[]) => unknown)(...args),

  async changeList({ base, changes }: { base: DigestList; changes: ListChanges }): Promise<Transferring<ChangedList>> {
    const changed = await changeList(base, changes);
    return new Transferring(changed, [changed.list, changed.touched].flatMap(buffersOf));
  },
};

export type LargeWork = typeof handlers;

/** The thread that works on large payloads. */
giveWay();
serveRequests(handlers, { order: 'sequence', afterWork: garbageCollector() });
