import type { LaneLimits } from './lane-rules.ts';
import { internalBudget, type QueryBudget } from './query-budget.ts';

/** The limits on reads of requests. */
export type ReadLimits = { budget: QueryBudget; lanes: LaneLimits };

/** For code that opens a store without a server. */
export const generousLimits: ReadLimits = {
  budget: internalBudget,
  lanes: {
    ...{ quickMax: 2, quickPerGroupMax: 2, longMax: 2, heavyMax: 2, longPerGroupMax: 2, trialMs: 300 },
    ...{ waitingPerGroupMax: 1000, waitMsMax: 600_000 },
  },
};
