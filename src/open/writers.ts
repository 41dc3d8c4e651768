import { type BatchedInserter, openBatchedInserter } from '../store/clickhouse/batched-inserter.ts';
import {
  type BackgroundCallWriter,
  openBackgroundCallWriter,
} from '../store/clickhouse/calls/write/background-writer.ts';
import { type CallWriter, openCallWriter } from '../store/clickhouse/calls/write/call-writer.ts';
import { guardCalls, guardInserter } from '../store/disk/guards.ts';
import type { Databases } from '../store/opened-store.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Base } from './base.ts';
import type { Opened } from './opened.ts';

export type Writers = {
  calls: CallWriter;
  /** For calls that the server itself makes, once it has answered. */
  laterCalls: BackgroundCallWriter;
  /** For rows that are written once and never merged. */
  inserter: BatchedInserter;
};

/** What writes to ClickHouse. Closing them stores what was accepted. */
export function openWriters(
  { log, disk, metrics, peers }: Base & { peers: Peers },
  { clickhouse: { store, onDiskLevel } }: Databases,
  opened: Opened,
): Writers {
  const isOnThisDisk = onDiskLevel !== null;
  const writer = openCallWriter(store.internal, peers);
  const calls = metrics.stores.calls(isOnThisDisk ? guardCalls(writer, disk) : writer);
  const batched = openBatchedInserter(store.internal);
  const inserter = isOnThisDisk ? guardInserter(batched, disk) : batched;
  opened.add({ close: () => Promise.all([calls.drain(), inserter.drain()]) });
  const laterCalls = openBackgroundCallWriter(calls, (error) => log.error({ err: error }, 'a call was not recorded'));
  opened.add({ close: () => laterCalls.drain() });
  return { calls, laterCalls, inserter };
}
