import { afterAll, beforeAll, describe } from 'vitest';
import { testJobs } from './jobs.ts';
import { testLosses } from './losses.ts';
import { type SkyRl, skyRlMissing, startSkyRl } from './skyrl.ts';

const missing = skyRlMissing();
if (missing) process.stderr.write(`Tests of training on SkyRL are SKIPPED: ${missing}\n`);

/** In one file, since SkyRL takes a minute to start and to compile. */
describe.skipIf(missing !== null)('SkyRL', () => {
  let skyRl: SkyRl;

  beforeAll(async () => {
    skyRl = await startSkyRl();
  }, 180_000);

  afterAll(() => skyRl?.close());

  describe('losses', () => testLosses(() => skyRl.url));
  describe('jobs', () => testJobs(() => skyRl.url));
});
