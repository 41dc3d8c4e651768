import fc from 'fast-check';

/**
 * Property tests try the same values in every run; `PROPERTY_SEED=7 PROPERTY_RUNS=1000 npx vitest run …` tries others, and
 * more of them.
 */
const { PROPERTY_SEED: seed, PROPERTY_RUNS: runs } = process.env;
fc.configureGlobal({ seed: Number(seed ?? 1), ...(runs === undefined ? {} : { numRuns: Number(runs) }) });
