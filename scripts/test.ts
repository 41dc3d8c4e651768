import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startVitest, type TestModule } from 'vitest/node';
import { chatEnvironment } from '../e2e/chat-clients/environment.ts';
import { deployEnvironment } from '../e2e/deploy/environment.ts';
import { agentsEnvironment, librariesEnvironment } from '../e2e/otlp/environment.ts';
import { clientEnvironment } from '../e2e/python/environment.ts';
import { swiftEnvironment } from '../e2e/stores/environment.ts';
import { tensorZeroEnvironment } from '../e2e/tensorzero/environment.ts';
import { cookbookEnvironment, olderTinkerEnvironment, tinkerEnvironment } from '../e2e/tinker-api/environment.ts';
import { artEnvironment } from '../e2e/training/environment.ts';
import { vllmEnvironment } from '../e2e/vllm/environment.ts';
import { wandbEnvironment } from '../e2e/wandb/environment.ts';
import { fetchSmollm2, smollm2IsHere } from '../src/engine/testing/smollm2.ts';

/**
 * `npm test [part of a path…]`: makes what the tests of Python clients need, runs every test, and ends with the slowest files
 * and the counts on one line. Without Python, or without a small model from its registry, those tests are skipped, except in
 * CI. `npm run test:long` runs slow property tests with all their values instead of a sample, and then `npm run test:postgres`.
 */
const { values, positionals } = parseArgs({ options: { long: { type: 'boolean' } }, allowPositionals: true });
if (values.long) process.env.TEST_LONG = 'true'; // test processes inherit it

const environments = [
  clientEnvironment,
  librariesEnvironment,
  agentsEnvironment,
  chatEnvironment,
  artEnvironment,
  wandbEnvironment,
  swiftEnvironment,
  deployEnvironment,
  tinkerEnvironment,
  olderTinkerEnvironment,
  tensorZeroEnvironment,
];
// It has 3 GB, and exists for fewer machines than the others: without it, its tests are skipped everywhere.
const needsVllm = positionals.length === 0 || positionals.some((part) => part.includes('vllm'));
const makingVllm = needsVllm && !process.env.HEDDLE_TEST_VLLM_URL ? vllmEnvironment.make() : Promise.resolve();
makingVllm.catch(() => {}); // reported below

const missing = environments.filter((environment) => !environment.isReady());
if (missing.length > 0) {
  say('Making the Python environments of the client tests, .venv*/ ...');
  const made = await Promise.allSettled(missing.map((environment) => environment.make()));
  const failure = made.find((each) => each.status === 'rejected');
  if (failure) {
    const reason = (failure.reason as Error).message.trim();
    if (process.env.CI === 'true') {
      say(`The Python clients cannot be tested: ${reason}`);
      process.exit(1);
    }
    say(`Tests of Python clients are SKIPPED: ${reason}`);
  }
}

if (!cookbookEnvironment.isReady()) {
  const failed = (error: Error) => say(`The test of the Tinker cookbook is SKIPPED: ${error.message.trim()}`);
  await cookbookEnvironment.make().catch(failed);
}

if (!smollm2IsHere()) {
  say('Fetching SmolLM2-135M for the tests of the engine, .cache/ ...');
  try {
    await fetchSmollm2(clientEnvironment.isReady() ? clientEnvironment.python : 'python3');
  } catch (error) {
    const reason = (error as Error).message.trim();
    if (process.env.CI === 'true') {
      say(`The engine cannot be tested with a real model: ${reason}`);
      process.exit(1);
    }
    say(`Tests of the engine with a real model are SKIPPED: ${reason}`);
  }
}

await makingVllm.catch((error) => say(`Tests of a real vLLM server are SKIPPED: ${error.message.trim()}`));

const vitest = await startVitest('test', positionals, { watch: false });
const modules = vitest.state.getTestModules();
const count = (state: 'passed' | 'failed' | 'skipped') =>
  modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);
const passed = count('passed');
const skipped = count('skipped');
// A file that breaks before its first test or after its last, and an error outside of any test, count as a failed test each.
const brokenFiles = modules.filter(
  (module) => module.state() === 'failed' && module.children.allTests('failed').next().done,
);
const failed = count('failed') + brokenFiles.length + vitest.state.getUnhandledErrors().length;
await vitest.close();

// The PostgreSQL store over all versions and an older heddle, after a whole long run.
const others = values.long && positionals.length === 0 ? ['scripts/test-postgres.ts'] : [];
const failedScripts = others.filter(
  (script) => spawnSync(process.execPath, [script], { stdio: 'inherit' }).status !== 0,
);
for (const script of failedScripts) say(`${script} failed`);

say(`\nThe slowest files:\n${slowest(modules, 10).join('\n')}\n`);
say(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed + failedScripts.length > 0 || passed === 0 ? 1 : 0);

/** The files that took longest, their imports and hooks included. */
function slowest(all: TestModule[], count: number): string[] {
  const timed = all.map((module) => {
    const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
    return { name: module.relativeModuleId, ms: prepareDuration + setupDuration + collectDuration + duration };
  });
  const sorted = timed.sort((a, b) => b.ms - a.ms).slice(0, count);
  return sorted.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s  ${name}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
