import { buffersOf, type DigestList } from '../../domain/digest/digest-list.ts';
import type { ChangedList, ListChanges } from '../../domain/tables/table-changes.ts';
import { requestErrors } from '../../util/request-errors.ts';
import { sharedWorker } from '../../util/workers/restarting-worker.ts';
import { thread } from '../../util/workers/start-worker.ts';
import type { LargeWork } from './thread-entry.ts';
import type { WorkName, work } from './work.ts';

const worker = sharedWorker<LargeWork>(thread(new URL('./thread-entry.ts', import.meta.url)), {
  errors: requestErrors,
  endsWhenIdle: true,
});

/** Runs work in the thread. @throws what the work throws */
export function workOn<Name extends WorkName>(
  name: Name,
  ...args: Parameters<(typeof work)[Name]>
): Promise<ReturnType<(typeof work)[Name]>> {
  return worker.request('work', { name, args }) as Promise<ReturnType<(typeof work)[Name]>>;
}

/** Runs `changeList` in the thread. Its arguments are transferred, so they cannot be used afterwards. */
export function changeLongList(base: DigestList, changes: ListChanges): Promise<ChangedList> {
  const transfer = [...buffersOf(base), ...buffersOf(changes.added), changes.steps.buffer];
  return worker.request('changeList', { base, changes }, { transfer });
}
