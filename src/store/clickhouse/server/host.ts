import { internalBudget } from '../lanes/query-budget.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import type { Layout } from '../layout.ts';
import { openIdentity } from './identity.ts';
import type { HostAddress } from './server-url.ts';
import { openStatements, type Statements } from './statements.ts';

/** A server and the connections to it: each kind of statement has its own, and does not wait for the others. */
export type Host = {
  origin: string;
  reads: Statements;
  own: Statements;
  inserts: Statements;
  control: Statements;
  /** Cuts off the statements that are under way. */
  close(): Promise<void>;
};

/** Longer than the server lets a statement run, which then answers that it took too long. */
const answerMarginMs = 15_000;
const ownSockets = 4;
const insertSockets = 6;

export function openHost(address: HostAddress, { lanes, budget }: ReadLimits, layout: Layout): Host {
  // Cloud has many servers behind one address, and shows on each what all have acknowledged.
  const shared =
    layout.kind === 'cloud' ? { settings: { select_sequential_consistency: '1' } } : { onAnswer: openIdentity() };
  const reads = openStatements(address, {
    ...shared,
    socketsMax: lanes.quickMax + lanes.longMax,
    answerMsMax: budget.timeMs + answerMarginMs,
  });
  const own = openStatements(address, {
    ...shared,
    socketsMax: ownSockets,
    answerMsMax: internalBudget.timeMs + answerMarginMs,
  });
  const inserts = openStatements(address, { ...shared, socketsMax: insertSockets, answerMsMax: 120_000 });
  const control = openStatements(address, { ...shared, socketsMax: 2, answerMsMax: 10_000 });
  return {
    origin: address.origin,
    ...{ reads, own, inserts, control },
    async close() {
      await Promise.all([reads, own, inserts, control].map((each) => each.close()));
    },
  };
}
