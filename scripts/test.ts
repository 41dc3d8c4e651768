import { startVitest } from 'vitest/node';
import { makePythonEnvironment, python, pythonIsReady } from '../e2e/python/environment.ts';
import { fetchSmollm2, smollm2IsHere } from '../src/engine/testing/smollm2.ts';

/**
 * `npm test [part of a path…]`: makes what the tests of the Python client need, runs every test, and ends with the
 * counts on one line. Without Python, or without a small model from its registry, those tests are skipped, except in CI.
 */
if (!pythonIsReady()) {
  say('Making the Python environment for the client tests, .venv/ ...');
  try {
    await makePythonEnvironment();
  } catch (error) {
    const reason = (error as Error).message.trim();
    if (process.env.CI === 'true') {
      say(`The Python client cannot be tested: ${reason}`);
      process.exit(1);
    }
    say(`Tests of the Python client are SKIPPED: ${reason}`);
  }
}

if (!smollm2IsHere()) {
  say('Fetching SmolLM2-135M for the tests of the engine, .cache/ ...');
  try {
    await fetchSmollm2(pythonIsReady() ? python : 'python3');
  } catch (error) {
    const reason = (error as Error).message.trim();
    if (process.env.CI === 'true') {
      say(`The engine cannot be tested with a real model: ${reason}`);
      process.exit(1);
    }
    say(`Tests of the engine with a real model are SKIPPED: ${reason}`);
  }
}

const vitest = await startVitest('test', process.argv.slice(2), { watch: false });
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

say(`tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
