import { enoughFor } from '../../src/store/clickhouse/calls/write/commit-queues.ts';
import { batchBytesMax, partsMax } from '../../src/store/clickhouse/calls/write/take-batch.ts';
import { seeded } from '../../testing/seeded.ts';
import { Clock, Cores } from './clock.ts';
import { openInsertPaceAt } from './insert-pace-at.ts';

/** Work in ms of a core. */
export type Costs = {
  /** Of the client, for a request. */
  client: number;
  /** Of heddle, for a request with its calls, and for a block of parts that are written at once. */
  request: number;
  block: number;
  /** Of the stores, for a statement, and for a call with its merges. */
  statement: number;
  call: number;
};

export type Setup = {
  processes: number;
  callsPerRequest: number;
  writesPerRequest: number;
  bytesPerRequest: number;
  /** Connections, each of which sends its next request after an answer until all are sent; or requests a second, whatever is answered. */
  load: { connections: number; requests: number } | { requestsPerSecond: number };
  /** One machine for everything, or machines of their own for each process and for the stores. */
  cores: { shared: number } | { ofProcess: number; ofStores: number };
  statementsPerBlock: number;
  /** Of the work of the stores, what they do beside a statement, from 0 to 1. */
  shareBeside: number;
  /** Of the work of a process for a request, what it does in the commit of the request, from 0 to 1. */
  shareInCommit: number;
  insertsPerSecondMax: number;
  /** Of a statement, on the network and for a quorum. */
  roundTripMs: number;
  seconds: number;
};

export type Outcome = {
  /** Calls a second. */
  rate: number;
  p50: number;
  p99: number;
  /** Of parts that are written at once, for 1,000 calls. */
  blocksPer1000: number;
  /** Cores at work, of the stores and of the busiest process. */
  storeCores: number;
  processCores: number;
  insertsPerSecond: number;
  /** Requests that are not answered at the end. */
  waiting: number;
};

/** The write path of calls beside other processes (decisions/0026), as events. */
export async function simulate(setup: Setup, costs: Costs): Promise<Outcome> {
  const { processes, callsPerRequest, writesPerRequest, load, cores, seconds } = setup;
  const clock = new Clock();
  const machine = 'shared' in cores ? new Cores(clock, cores.shared) : null;
  const stores = machine ?? new Cores(clock, 'ofStores' in cores ? cores.ofStores : 0);
  const all = Array.from({ length: processes }, () => ({
    cores: machine ?? new Cores(clock, 'ofProcess' in cores ? cores.ofProcess : 0),
    loop: new Cores(clock, 1),
    waiting: [] as Waiting[],
    isCommitting: false,
    pace: openInsertPaceAt(clock, setup.insertsPerSecondMax, processes),
  }));
  const latencies: number[] = [];
  const random = seeded(1);
  const counts = { sent: 0, answered: 0, blocks: 0, inserts: 0, storeMs: 0, lastAt: 0 };
  const processMs = all.map(() => 0);

  /** A share of the work, such as merges and what other threads do, delays no answer. */
  async function useStores(ms: number): Promise<void> {
    counts.storeMs += ms;
    void stores.use(ms * setup.shareBeside);
    await stores.use(ms * (1 - setup.shareBeside));
    await clock.sleep(setup.roundTripMs);
  }

  /** One thread runs JavaScript. */
  async function useProcess(index: number, ms: number): Promise<void> {
    processMs[index]! += ms;
    await all[index]!.loop.use(ms, all[index]!.cores);
  }

  async function write(index: number): Promise<void> {
    const startedAt = clock.now;
    counts.sent++;
    if (machine !== null) await machine.use(costs.client);
    // Requests differ, or else all connections would go on in step for ever.
    await useProcess(index, costs.request * (1 - setup.shareInCommit) * (0.5 + random()));
    await new Promise<void>((resolve) => {
      all[index]!.waiting.push(resolve);
      if (!all[index]!.isCommitting) void commitAll(index);
    });
    counts.answered++;
    counts.lastAt = clock.now;
    latencies.push(clock.now - startedAt);
  }

  /** Group commit: what arrives during a commit shares the next one. */
  async function commitAll(index: number): Promise<void> {
    const process = all[index]!;
    process.isCommitting = true;
    while (process.waiting.length > 0) {
      const batch = process.waiting.splice(0, Math.ceil(batchBytesMax / setup.bytesPerRequest));
      const startedAt = clock.now;
      await commit(index, batch.length * callsPerRequest, batch.length * writesPerRequest);
      for (const answer of batch) answer();
      const enough = enoughFor(processes, batch.length + process.waiting.length);
      const isSmall = batch.length * writesPerRequest < enough.writes && process.waiting.length < enough.requests;
      const pauseEndsAt = clock.now + Math.min(clock.now - startedAt, enough.pauseMsMax);
      while (batch.length > 1 && isSmall && clock.now < pauseEndsAt && process.waiting.length < enough.endsPause) {
        await clock.sleep(Math.min(1, pauseEndsAt - clock.now));
      }
    }
    process.isCommitting = false;
  }

  async function commit(index: number, calls: number, writes: number): Promise<void> {
    const blocks = Math.ceil(writes / partsMax);
    for (let block = 0; block < blocks; block++) await writeBlock(index, calls / blocks);
  }

  async function writeBlock(index: number, calls: number): Promise<void> {
    counts.blocks++;
    counts.inserts += 2;
    await useProcess(index, costs.block + (calls / callsPerRequest) * costs.request * setup.shareInCommit);
    await all[index]!.pace('call_parts');
    await useStores(costs.statement);
    await useStores(costs.statement); // the look
    await all[index]!.pace('calls');
    await useStores(costs.statement + calls * costs.call);
    for (let i = 3; i < setup.statementsPerBlock; i++) {
      await useStores(costs.statement * Math.min(1, setup.statementsPerBlock - i));
    }
  }

  async function client(index: number): Promise<void> {
    for (; unsent[index]! > 0; await write(index)) unsent[index]!--;
  }

  async function arrivals(perSecond: number): Promise<void> {
    for (let i = 0; clock.now < seconds * 1000; i++) {
      void write(i % processes);
      await clock.sleep(1000 / perSecond);
    }
  }

  const unsent = all.map(() => ('requests' in load ? load.requests / processes : 0));
  if ('connections' in load) for (let i = 0; i < load.connections; i++) void client(i % processes);
  else void arrivals(load.requestsPerSecond);
  await clock.runUntil(seconds * 1000);
  const elapsed = 'connections' in load ? counts.lastAt / 1000 : seconds;
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    rate: (counts.answered * callsPerRequest) / elapsed,
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    blocksPer1000: (counts.blocks * 1000) / (counts.answered * callsPerRequest),
    storeCores: counts.storeMs / (seconds * 1000),
    processCores: Math.max(...processMs) / (seconds * 1000),
    insertsPerSecond: counts.inserts / seconds,
    waiting: counts.sent - counts.answered,
  };
}

type Waiting = () => void;
