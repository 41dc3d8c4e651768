import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import type { Heddle } from '../harness/heddle.ts';

/** The browser of this machine, such as Debian's `chromium`; null if there is none. */
export const browserPath: string | null =
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
    .find((path) => existsSync(path)) ?? null;

export function openBrowser(args: string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath!, args: ['--no-sandbox', ...args] });
}

/** Compiles the page if its sources have changed. */
export async function buildPage(): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  await promisify(execFile)(process.execPath, [join(root, 'scripts/build-web.ts'), '--if-changed']);
}

/** Signs a browser in as the owner, with the link that `heddle sign-in` prints. */
export async function signIn(context: BrowserContext, heddle: Pick<Heddle, 'command'>): Promise<void> {
  const page = await context.newPage();
  await page.goto(await heddle.command('sign-in'));
  await page.locator('main#page').waitFor(); // the navigation is closed on a phone
  await page.close();
}
