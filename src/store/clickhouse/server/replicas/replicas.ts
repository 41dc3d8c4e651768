import { setTimeout as pause } from 'node:timers/promises';
import { withinMs } from '../../../../util/within-ms.ts';
import type { Agreed, Agreement } from '../../../peers/agreement.ts';
import { ClickHouseServerError } from '../errors.ts';
import type { Host } from '../host.ts';
import type { Route } from '../route.ts';
import { openCurrentUse } from './current-use.ts';
import { openLease } from './lease.ts';

/** The replicas of a shard, of which all processes use one at a time: another may not have the newest rows yet. */
export type Replicas = Route & {
  /** Uses the first replica that can be prepared, until the processes agree on one. @throws the error of the last one */
  start(): Promise<void>;
  /** Follows an agreement from now on; resolves when a replica can be used. */
  agree(agreement: Agreement): Promise<void>;
};

/** What can be done with a replica, by its address. */
type ReplicaActions = {
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
const pollMs = 200;
/** While no replica can be used, they are asked again after this time. */
const retryMs = 1_000;

/** What to do next: at once, after a time, or when something happens. */
type Next = { term: number; waitMs: number | null };

export function openReplicas({ origins, actions, onChange }: Options): Replicas {
  /** The replica that was in use and does not answer. */
  let gone: string | null = null;
  /** The replica of this term, once this process has prepared it. */
  let prepared: string | null = null;
  let isDoubting = false;
  let isClosed = false;
  let following: Promise<void> | null = null;
  let woken = Promise.withResolvers<void>();
  const lease = openLease(() => use.stop('the lease of this process has ended'));
  const use = openCurrentUse({
    open: actions.open,
    isValid: lease.isValid,
    onDoubt: (origin) => void doubt(origin),
    onReplaced: leave,
    onChange: (origin) => onChange(`ClickHouse at ${origin} is used from now on`),
  });

  async function doubt(origin: string): Promise<void> {
    if (isDoubting || isClosed) return;
    isDoubting = true;
    if (await actions.isGone(origin)) leave(origin);
    isDoubting = false;
  }

  function leave(origin: string): void {
    if (use.origin() !== origin) return;
    gone = origin;
    woken.resolve();
  }

  /** One step towards a replica that all processes use. */
  async function step(agreement: Agreement, term: number): Promise<Next> {
    const renewal = lease.begin();
    const agreed = await agreement.renew(term);
    renewal.end(agreement.leaseMs);
    const { value: origin } = agreed;
    if (agreed.term !== term) {
      use.stop('the replica is being changed');
      prepared = gone = null;
      return { term: agreed.term, waitMs: 0 }; // the next renewal says so to the others
    }
    if (origin === null || origin === gone || !origins.includes(origin)) return changeFrom(agreement, agreed);
    if (prepared !== origin) return prepare(origin, agreement, agreed);
    if (!agreed.isReady) return { term, waitMs: pollMs };
    use.start(origin);
    return { term, waitMs: agreement.leaseMs === null ? null : agreement.leaseMs / 4 };
  }

  /** Also a replica that others use already: it may have been away while this process did not run. */
  async function prepare(origin: string, agreement: Agreement, { term, isReady, behind }: Agreed): Promise<Next> {
    if (!isReady && behind > 0) return { term, waitMs: pollMs };
    try {
      await actions.prepare(origin);
    } catch (error) {
      onChange(`ClickHouse at ${origin} cannot be used: ${(error as Error).message}`);
      return changeFrom(agreement, { value: origin, term });
    }
    prepared = origin;
    if (!isReady) await agreement.confirm(term);
    return { term, waitMs: 0 };
  }

  /** Chooses the next replica that answers. The one before is chosen again if no other does. */
  async function changeFrom(agreement: Agreement, { value, term }: Pick<Agreed, 'value' | 'term'>): Promise<Next> {
    use.stop(value === null ? 'no replica is agreed on yet' : `${value} does not answer`);
    const next = await findNext(value);
    gone = null;
    if (next === null) return { term, waitMs: retryMs };
    if (value !== null && value !== next) onChange(`ClickHouse at ${value} does not answer: changing to ${next}`);
    await agreement.choose(term, next);
    return { term, waitMs: next === value ? retryMs : 0 };
  }

  async function findNext(origin: string | null): Promise<string | null> {
    const at = origins.indexOf(origin ?? '') + 1;
    const inOrder = [...origins.slice(at), ...origins.slice(0, at)];
    for (const next of inOrder) if (!(await actions.isGone(next))) return next;
    return null;
  }

  async function follow(agreement: Agreement): Promise<void> {
    for (let term = 0; !isClosed; ) {
      woken = Promise.withResolvers();
      let waitMs: number | null = retryMs;
      try {
        ({ term, waitMs } = await step(agreement, term));
      } catch (error) {
        if (use.origin() === null) use.stop((error as Error).message); // otherwise it is used until the lease ends
      }
      if (waitMs === 0) continue;
      await Promise.race([woken.promise, ...(waitMs === null ? [] : [pause(waitMs, undefined, { ref: false })])]);
    }
    await agreement.leave().catch(() => {}); // or its lease ends
  }

  return {
    run: use.run,
    problem: use.problem,
    async start() {
      for (const [index, origin] of origins.entries()) {
        try {
          await actions.prepare(origin);
          return use.start(origin);
        } catch (error) {
          if (index === origins.length - 1) throw error;
        }
      }
    },
    async agree(agreement) {
      use.stop('no replica is agreed on yet');
      following = follow(agreement);
      await withinMs(agreeMsMax, use.started(), () => {
        throw new ClickHouseServerError(`No replica of ClickHouse can be used: ${use.problem()}.`);
      });
    },
    async close() {
      isClosed = true;
      woken.resolve();
      use.stop('it is closed');
      await following;
    },
  };
}
