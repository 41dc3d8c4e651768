import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runPython } from '../e2e/harness/clients.ts';
import { newDataDirectory, startHeddle } from '../e2e/harness/heddle.ts';
import { pythonIsReady } from '../e2e/python/environment.ts';
import { browserPath, buildPage, openBrowser, signIn } from '../e2e/web/browser.ts';
import { pages } from '../e2e/web/pages.ts';

/**
 * `npm run screenshots`: every page of `e2e/web/pages.ts` in an empty and in a full project, light and dark, wide and as on
 * a phone, to `screenshots/`. Look at each of them after a change of styles.
 */
const folder = join(import.meta.dirname, '../screenshots');
const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

if (browserPath === null) skip('there is no chromium on the PATH. On Debian: apt-get install chromium');
if (!pythonIsReady()) skip('there is no Python environment. `npm test e2e/python` makes it');
await buildPage();
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const heddle = await startHeddle(newDataDirectory());
const browser = await openBrowser();
try {
  const full = heddle.newProject();
  const empty = heddle.newProject();
  for (const program of [
    'nested_ops.py',
    'evaluation.py',
    'compared_evaluations.py',
    'openai_calls.py',
    'generators_and_errors.py',
    'stats_and_threads.py',
    'annotation_queues.py',
  ]) {
    await runPython(heddle, program, { args: [full], expected: /./ });
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const context = await browser.newContext({ colorScheme, viewport, hasTouch: size === 'phone' });
      await signIn(context, heddle);
      const page = await context.newPage();
      const shoot = async (name: string, path: string) => {
        await page.goto(heddle.url + path);
        await page.waitForLoadState('networkidle');
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
      };
      await shoot('projects', '/');
      for (const { name, path } of pages) {
        await shoot(`${name}-full`, `/${full}/weave/${path}`);
        await shoot(`${name}-empty`, `/${empty}/weave/${path}`);
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await heddle.close();
}
process.stdout.write(`The screenshots are in ${folder}\n`);

function skip(reason: string): never {
  process.stderr.write(`Skipped: ${reason}.\n`);
  process.exit(0);
}
