import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { OfferingProcess, ProcessOffer } from '../../../domain/process-offer.ts';
import type { Peers, Topic } from '../../peers/peers.ts';
import type { Postgres } from '../postgres.ts';
import { openAnnouncements } from './announcements.ts';
import { openLeases } from './leases.ts';
import { openListener } from './listener.ts';
import { openNotices } from './notices.ts';
import { openNumbers } from './numbers.ts';
import { readOverview } from './overview.ts';

type Options = {
  /** An address without a pooler. */
  direct: pg.ClientConfig;
  /** How long a process may be silent until others do not wait for it any more. */
  leaseMs?: number;
  onError(error: unknown, message: string): void;
};

/**
 * Processes that share a PostgreSQL server. Each has a lease, and acknowledges notices with every renewal. Whoever sends a
 * notice waits for all processes that have a lease. A process whose lease has ended uses nothing that it keeps in
 * memory, and forgets it before it gets a new one: it may have been frozen, or cut off, for any time.
 */
export async function openServerPeers(
  postgres: Pick<Postgres, 'db' | 'schema'>,
  { direct, leaseMs = 10_000, onError }: Options,
): Promise<Peers> {
  const id = randomUUID();
  const channel = `${postgres.schema}_notices`;
  const notices = openNotices(postgres, { process: id, name: `${hostname()} ${process.pid}`, leaseMs, channel });
  const numbers = openNumbers(postgres, { process: id, isUpToDate, renewed: nextRenewal });
  const listeners: { topic: Topic; forget: (key: string | null) => void }[] = [];
  /** The number of the last notice that this process has taken into account. */
  let acknowledged = 0;
  let processes = 1;
  let offered: ProcessOffer | null = null;
  let isOfferNew = false;
  let others: OfferingProcess[] = [];
  let upToDateUntil = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let hasFailed = false;
  let isAsked = false;
  let working: Promise<void> | null = null;
  const announcements = openAnnouncements(postgres, { process: id, channel });
  await renew();
  const listener = openListener(direct, channel, receive); // which asks for what came meanwhile
  const timer = setInterval(
    () => {
      if (performance.now() + (3 * leaseMs) / 4 > upToDateUntil || !listener.isConnected()) wake();
    },
    Math.min(pollMs, leaseMs / 8),
  ).unref();

  function isUpToDate(): boolean {
    return performance.now() < upToDateUntil;
  }

  /** Renews the lease until this process has acknowledged all notices. */
  async function renew(): Promise<void> {
    for (;;) {
      const askedAt = performance.now();
      const missesSome = !isUpToDate();
      const isAnnounced = isOfferNew;
      isOfferNew = false;
      if (missesSome) numbers.startAgain();
      const last = await notices.renew(missesSome ? null : acknowledged, numbers.writtenUpTo, offered);
      const isNew = !missesSome && last > acknowledged;
      const received = isNew ? await notices.read(acknowledged, last) : [];
      // Of a process that was frozen until now, notices may have been deleted.
      if (isUpToDate()) deliver(received);
      else {
        numbers.startAgain(); // the lease may have ended meanwhile
        for (const { forget } of listeners) forget(null);
      }
      acknowledged = last;
      if (isNew) continue; // the others wait until it is recorded
      await numbers.refresh();
      upToDateUntil = askedAt + leaseMs;
      await readProcesses();
      if (isAnnounced) announcements.send('offers', id);
      return;
    }
  }

  async function readProcesses(): Promise<void> {
    const live = await notices.processes();
    processes = live.length;
    others = live.flatMap(({ id: other, offer }) => (other === id || offer === null ? [] : [{ id: other, offer }]));
  }

  function deliver(received: { topic: string; key: string }[]): void {
    for (const { topic, key } of received)
      for (const listener of listeners) if (listener.topic === topic) listener.forget(key);
  }

  /** Resolves after a renewal that begins from now on. */
  async function nextRenewal(): Promise<void> {
    await working;
    wake();
    await working;
  }

  function receive(payload: string): void {
    const announced = payload === '' ? null : announcements.read(payload);
    if (payload === '') wake();
    else if (announced?.topic === 'offers')
      readProcesses().catch(() => {}); // the next renewal reads them, too
    else if (announced !== null && !isClosed) deliver([announced]);
  }

  /** Renews soon, and once more if something has happened meanwhile. */
  function wake(): void {
    isAsked = true;
    working ??= work().finally(() => {
      working = null;
    });
  }

  async function work(): Promise<void> {
    while (isAsked && !isClosed) {
      isAsked = false;
      const error = await renew().then(
        () => null,
        (cause: unknown) => cause,
      );
      const isReported = hasFailed || isClosed;
      hasFailed = error !== null;
      if (hasFailed && !isReported) onError(error, 'the lease of this process cannot be renewed and is tried again');
    }
  }

  return {
    id,
    isAlone: false,
    count: () => processes,
    async notify(topic, key) {
      deliver([{ topic, key }]);
      const number = await notices.send(topic, key);
      wake();
      for (let waitMs = 2; (await notices.behind(number)) > 0; waitMs = Math.min(2 * waitMs, 100))
        await setTimeout(waitMs);
    },
    announce: announcements.send,
    on(topic, forget) {
      listeners.push({ topic, forget });
    },
    isUpToDate,
    offer(offer) {
      offered = offer;
      isOfferNew = true;
      wake();
    },
    offers: () => others,
    lease: openLeases(postgres, id),
    numbers: numbers.ofWriter,
    overview: () => readOverview(postgres, id),
    async close() {
      isClosed = true;
      clearInterval(timer);
      await working;
      upToDateUntil = Number.NEGATIVE_INFINITY;
      await Promise.all([listener.close(), notices.leave().catch(() => {})]); // otherwise the lease ends by itself
    },
  };
}

/** How often a process asks whether something has changed while it cannot listen. */
const pollMs = 500;
