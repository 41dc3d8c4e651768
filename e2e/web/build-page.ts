import { browserPath, buildPage } from './browser.ts';

/** Runs once before the tests: servers look for the page when they start. */
export async function setup(): Promise<void> {
  if (browserPath !== null) await buildPage();
}
