import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { newDataDirectory, startHeddle } from '../e2e/harness/heddle.ts';
import { pythonIsReady } from '../e2e/python/environment.ts';
import { browserPath, buildPage, openBrowser, signIn } from '../e2e/web/browser.ts';
import { fillProject } from './screenshots/fill-project.ts';
import { type Shot, shotsOfEmpty, shotsOfFull, shotsOfServer } from './screenshots/shots.ts';

/**
 * `npm run screenshots`: every page in an empty and in a full project, light and dark, wide and as on a phone, to
 * `screenshots/`. Look at each of them after a change of styles.
 * `-- --only 'traces phone'` makes those with these words in their name.
 */
const folder = join(import.meta.dirname, '../screenshots');
const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const words = values.only.split(' ');

if (browserPath === null) skip('there is no chromium on the PATH. On Debian: apt-get install chromium');
if (!pythonIsReady()) skip('there is no Python environment. `npm test e2e/python` makes it');
await buildPage();
if (values.only === '') rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const heddle = await startHeddle(newDataDirectory());
const browser = await openBrowser();
try {
  const filled = await fillProject(heddle);
  const shots = [...shotsOfServer(), ...shotsOfEmpty(heddle.newProject()), ...shotsOfFull(filled)];
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const context = await browser.newContext({ colorScheme, viewport, hasTouch: size === 'phone' });
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      const isWanted = ({ name }: Shot) => words.every((word) => `${name}-${size}-${colorScheme}`.includes(word));
      const save = (shot: Shot) => shoot(page, shot, join(folder, `${shot.name}-${size}-${colorScheme}.png`));
      const signedOut = { name: 'sign-in', address: '/' };
      if (isWanted(signedOut)) await save(signedOut);
      await signIn(context, heddle);
      for (const shot of shots.filter(isWanted)) await save(shot);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await heddle.close();
}
process.stdout.write(`The screenshots are in ${folder}\n`);

/** Without the action, and with a message, if the page has not what the action needs. */
async function shoot(page: Page, { name, address, act }: Shot, path: string): Promise<void> {
  await page.goto(heddle.url + address);
  await page.waitForLoadState('networkidle');
  try {
    await act?.(page);
    if (act) await page.waitForTimeout(700); // what opens may load its code and data
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${name}: ${(error as Error).message}\n`);
  }
  await page.screenshot({ path });
}

function skip(reason: string): never {
  process.stderr.write(`Skipped: ${reason}.\n`);
  process.exit(0);
}
