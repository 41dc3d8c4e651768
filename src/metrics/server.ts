import { Gauge, type Registry } from 'prom-client';
import type { VllmServerState } from '../inference/vllm/servers/vllm-servers.ts';
import type { PeerOverview } from '../store/peers/peers.ts';
import type { StoreState } from '../store/store-states.ts';

/** What is looked up when the numbers are read. */
export type ServerState = {
  stores: StoreState[];
  disk: { freeBytes: number; reserveBytes: number; isShort: boolean };
  jobs: { kind: string; state: string; count: number }[];
  /** Null for a process that is alone. */
  peers: PeerOverview | null;
  modelMemory: { bytesMax: number; freeBytes: number };
  vllmServers: VllmServerState[];
};

export function serverMetrics(registry: Registry): (state: ServerState) => void {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const up = gauge('heddle_store_up', '1 while the store answers', ['store']);
  const info = gauge('heddle_store_info', '1; its labels name the kind and the version of the store', [
    ...(['store', 'kind', 'version'] as const),
  ]);
  const latency = gauge('heddle_store_latency_seconds', 'Median time of an answer of the store in the last minute', [
    'store',
  ]);
  const storeFree = gauge('heddle_store_free_bytes', 'Free bytes on the disk of the store, if it is known', ['store']);
  const storeUsed = gauge('heddle_store_used_bytes', 'Bytes of the data of the store, if they are known', ['store']);
  const free = gauge('heddle_disk_free_bytes', 'Free bytes on the disk of the data');
  const reserve = gauge('heddle_disk_reserve_bytes', 'Free bytes below which new data is refused');
  const short = gauge('heddle_disk_short', '1 while new data is refused');
  const jobs = gauge('heddle_jobs', 'Jobs that wait or run', ['kind', 'state']);
  const processes = gauge('heddle_processes', 'Processes that share the stores, this one included');
  const leases = gauge('heddle_leases', 'Work that one of the processes does for all');
  const lockWaits = gauge('heddle_lock_waits', 'Statements that wait for a lock in PostgreSQL, if processes share it');
  const memory = gauge('heddle_model_memory_max_bytes', 'Bytes that all models and training may use');
  const memoryFree = gauge('heddle_model_memory_free_bytes', 'Bytes that are left of them');
  return (state) => {
    for (const each of [info, latency, storeFree, storeUsed]) each.reset(); // what is unknown now has no number
    for (const { name: store, kind, isUp, version, latencySeconds, freeBytes, usedBytes } of state.stores) {
      up.set({ store }, Number(isUp));
      info.set({ store, kind, version: version ?? '' }, 1);
      if (latencySeconds !== null) latency.set({ store }, latencySeconds);
      if (freeBytes !== null) storeFree.set({ store }, freeBytes);
      if (usedBytes !== null) storeUsed.set({ store }, usedBytes);
    }
    free.set(state.disk.freeBytes);
    reserve.set(state.disk.reserveBytes);
    short.set(Number(state.disk.isShort));
    jobs.reset();
    for (const { kind, state: of, count } of state.jobs) jobs.set({ kind, state: of }, count);
    processes.set(state.peers?.processes.length ?? 1);
    leases.set(state.peers?.leases.length ?? 0);
    lockWaits.set(state.peers?.lockWaits ?? 0);
    memory.set(state.modelMemory.bytesMax);
    memoryFree.set(state.modelMemory.freeBytes);
  };
}
