import fc from 'fast-check';

/** Property tests try the same values in every run; `PROPERTY_SEED=7 npx vitest run …` tries others. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) });
