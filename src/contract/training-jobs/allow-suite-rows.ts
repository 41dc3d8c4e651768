import { bool } from '../wire.ts';

/** Whether a job may train on rows of suites, near copies of them and their siblings. */
export const allowSuiteRows = bool().default(false).meta({
  description: 'Train also on rows that match those of suites. Without it, such a job fails before it trains.',
});
