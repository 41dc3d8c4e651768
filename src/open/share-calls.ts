import {
  forgetPartsOfCalls,
  havePartsOfCalls,
  highestNumber,
  preparePartsOfCalls,
} from '../store/clickhouse/calls/write/shared/prepare-parts.ts';
import type { Databases } from '../store/opened-store.ts';
import type { Peers } from '../store/peers/peers.ts';
import { exceedNumber, haveNumbers } from '../store/postgres/peers/numbers.ts';
import { nowMicroseconds } from '../util/timestamp.ts';

/**
 * Prepares the calls for several writers, or for one. Call it while no other process changes the schema: the first of several
 * processes does the work, and nobody writes yet.
 */
export async function shareCalls({ clickhouse, postgres }: Databases, { isAlone }: Peers): Promise<void> {
  const { internal } = clickhouse.store;
  if (isAlone) {
    if (internal.layout.kind !== 'embedded') await forgetPartsOfCalls(internal); // what it writes has no parts
    return;
  }
  const arePrepared = await havePartsOfCalls(internal);
  if (!arePrepared || !(await haveNumbers(postgres.store.db))) {
    await exceedNumber(postgres.store, Math.max(await highestNumber(internal), nowMicroseconds()));
  }
  if (!arePrepared) await preparePartsOfCalls(internal);
}
