import { setTimeout as pause } from 'node:timers/promises';
import { withinMs } from '../../../../util/within-ms.ts';
import type { Agreed, Agreement } from '../../../peers/agreement.ts';
import { ClickHouseServerError } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Route } from '../route.ts';
import { openLease } from './lease.ts';
import { replicaChanges, startUse, type Use } from './use.ts';

/** The replicas of a shard, of which all processes use one at a time: another may not have the newest rows yet. */
export type Replicas = Route & {
  /** Uses the first replica that can be prepared, until the processes agree on one. @throws the error of the last one */
  start(): Promise<void>;
  /** Follows an agreement from now on; resolves when a replica can be used. */
  agree(agreement: Agreement): Promise<void>;
};

/** What can be done with a replica, by its address. */
export type ReplicaActions = {
  open(origin: string): Host;
  /** Gets the rows that others have. @throws if it cannot be used */
  prepare(origin: string): Promise<void>;
  isGone(origin: string): Promise<boolean>;
};

type Options = {
  origins: [string, ...string[]];
  actions: ReplicaActions;
  /** Called with what happened, for the log. */
  onChange(message: string): void;
};

const agreeMsMax = 60_000;
const waitForUseMs = 500;
const pollMs = 200;
/** While no replica can be used, they are asked again after this time. */
const retryMs = 1_000;

export function openReplicas({ origins, actions, onChange }: Options): Replicas {
  let use: Use | null = null;
  let problem: string | null = 'no replica is agreed on yet';
  let doubted: Promise<void> | null = null;
  /** The replica in use that does not answer any more. */
  let gone: string | null = null;
  let following: Promise<void> | null = null;
  let isClosed = false;
  let started = Promise.withResolvers<void>();
  let woken = Promise.withResolvers<void>();
  const lease = openLease(() => stop('the lease of this process has ended'));
  /** Replicas that this process has prepared since they became the one in use. */
  let prepared: string | null = null;
  let usedBefore: string | null = null;

  function startUsing(origin: string): void {
    if (use !== null) return;
    if (usedBefore !== null && usedBefore !== origin) onChange(`ClickHouse at ${origin} is used from now on`);
    usedBefore = origin;
    use = startUse(actions.open(origin), {
      isValid: lease.isValid,
      onDoubt: () => doubt(origin),
      onReplaced: () => leave(origin),
    });
    problem = null;
    started.resolve();
  }

  function stop(reason: string): void {
    problem = reason;
    if (use === null) return;
    const ended = use;
    use = null;
    started = Promise.withResolvers();
    ended.end();
    void ended.host.close();
  }

  function doubt(origin: string): void {
    if (isClosed) return;
    doubted ??= actions
      .isGone(origin)
      .then((isGone) => {
        if (isGone) leave(origin);
      })
      .finally(() => {
        doubted = null;
      });
  }

  function leave(origin: string): void {
    if (use?.host.origin !== origin) return;
    gone = origin;
    woken.resolve();
  }

  /** One step towards a replica that all processes use. @returns how long to wait before the next one */
  async function step(agreement: Agreement, term: number): Promise<{ term: number; waitMs: number | null }> {
    const renewing = lease.begin();
    const agreed = await agreement.renew(term);
    renewing.end(agreement.leaseMs);
    const { value: origin } = agreed;
    if (agreed.term !== term) {
      stop('the replica is being changed');
      prepared = null;
      gone = null;
      return { term: agreed.term, waitMs: 0 }; // the next renewal tells the others
    }
    if (origin === null || origin === gone || !origins.includes(origin)) return changeFrom(agreement, agreed);
    if (prepared !== origin) {
      if (!agreed.isReady && agreed.behind > 0) return { term, waitMs: pollMs };
      const fault = await faultOf(origin);
      if (fault !== null) {
        onChange(`ClickHouse at ${origin} cannot be used: ${fault}`);
        return changeFrom(agreement, agreed);
      }
      prepared = origin;
      if (!agreed.isReady) await agreement.confirm(term);
      return { term, waitMs: 0 };
    }
    if (!agreed.isReady) return { term, waitMs: pollMs };
    startUsing(origin);
    return { term, waitMs: agreement.leaseMs === null ? null : agreement.leaseMs / 4 };
  }

  /** Chooses the next replica that answers. The one before is chosen again if no other does. */
  async function changeFrom(agreement: Agreement, { value, term }: Agreed) {
    stop(value === null ? 'no replica is agreed on yet' : `${value} does not answer`);
    const next = await findNext(value);
    gone = null;
    if (next === null) return { term, waitMs: retryMs };
    if (value !== null && value !== next) onChange(`ClickHouse at ${value} does not answer: changing to ${next}`);
    await agreement.choose(term, next);
    return { term, waitMs: 0 };
  }

  async function findNext(origin: string | null): Promise<string | null> {
    const at = origins.indexOf(origin ?? '') + 1;
    const others = [...origins.slice(at), ...origins.slice(0, at)];
    for (const next of others) if (!(await actions.isGone(next))) return next;
    return null;
  }

  async function faultOf(origin: string): Promise<string | null> {
    try {
      await actions.prepare(origin);
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  async function follow(agreement: Agreement): Promise<void> {
    for (let term = 0; !isClosed; ) {
      woken = Promise.withResolvers();
      let waitMs: number | null = retryMs;
      try {
        ({ term, waitMs } = await step(agreement, term));
      } catch (error) {
        if (use === null) problem = (error as Error).message; // otherwise it is used until the lease ends
      }
      if (waitMs === 0) continue;
      await Promise.race([woken.promise, ...(waitMs === null ? [] : [pause(waitMs, undefined, { ref: false })])]);
    }
    await agreement.leave().catch(() => {}); // or its lease ends
  }

  return {
    async run(work) {
      if (use === null) await Promise.race([started.promise, pause(waitForUseMs, undefined, { ref: false })]);
      if (use === null) throw replicaChanges();
      return use.run(work);
    },
    problem: () => problem,
    async start() {
      for (const [index, origin] of origins.entries()) {
        try {
          await actions.prepare(origin);
          return startUsing(origin);
        } catch (error) {
          if (index === origins.length - 1) throw error;
        }
      }
    },
    async agree(agreement) {
      stop('no replica is agreed on yet');
      following = follow(agreement);
      await withinMs(agreeMsMax, started.promise, () => {
        throw new ClickHouseServerError(`No replica of ClickHouse can be used: ${problem}.`);
      });
    },
    async close() {
      isClosed = true;
      woken.resolve();
      stop('it is closed');
      await following;
    },
  };
}
