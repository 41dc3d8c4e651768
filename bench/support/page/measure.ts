import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { quantile } from '../load.ts';
import { report } from '../report.ts';

/** A page of a system, and how to see that it is there. */
export type MeasuredPage = {
  address: string;
  /** The rows of its list or tree. */
  rows(page: Page): Locator;
  /** What a click on a row opens; left out if it looks like what was there before. */
  answer?(page: Page): Locator;
};

const runs = 3;
const patienceMs = 120_000;
const scrolledMs = 5_000;
const frameMs = 1000 / 60;

/** Opens a page some times, each time in a new browser profile, and reports how soon it can be used and how it scrolls. */
export async function measurePage(
  browser: Browser,
  title: string,
  measured: MeasuredPage,
  signIn: (context: BrowserContext) => Promise<void>,
): Promise<void> {
  const opened: Opened[] = [];
  let frames: number[] = [];
  for (let run = 0; run < runs; run++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await signIn(context);
    const page = await context.newPage();
    page.setDefaultTimeout(patienceMs);
    opened.push(await openPage(page, measured));
    frames = frames.concat(await scroll(page, measured));
    await context.close();
  }
  const median = (name: keyof Opened) =>
    quantile(
      opened.map((each) => each[name]),
      0.5,
    );
  report(title, {
    'ms to first paint': median('paintMs'),
    'to rows': median('rowsMs'),
    ...(measured.answer ? { 'to the answer of a click': median('clickMs') } : {}),
    'kB of JavaScript': median('scriptBytes') / 1000,
  });
  const late = frames.filter((ms) => ms > frameMs * 1.5);
  report(`${title}, scrolling`, {
    'frames/s': (frames.length * 1000) / frames.reduce((sum, ms) => sum + ms, 0),
    '% of frames late': (late.length / frames.length) * 100,
    'ms the longest': Math.max(...frames),
  });
}

type Opened = { paintMs: number; rowsMs: number; clickMs: number; scriptBytes: number };

async function openPage(page: Page, { address, rows, answer }: MeasuredPage): Promise<Opened> {
  const startedAt = performance.now();
  await page.goto(address, { waitUntil: 'commit', timeout: patienceMs });
  await rows(page).nth(3).waitFor();
  const rowsMs = performance.now() - startedAt;
  if (answer) {
    await rows(page).nth(3).click();
    await answer(page).first().waitFor();
  }
  const clickMs = performance.now() - startedAt;
  return { rowsMs, clickMs, ...(await page.evaluate(paintAndScripts)) };
}

/** Runs in the page. */
function paintAndScripts(): { paintMs: number; scriptBytes: number } {
  const scripts = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(({ name }) =>
    /\.m?js(\?|$)/.test(name),
  );
  return {
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    scriptBytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  };
}

/** Opens the page again, turns the wheel over the rows for some seconds, and answers the times between the frames. */
async function scroll(page: Page, { address, rows }: MeasuredPage): Promise<number[]> {
  await page.goto('about:blank');
  await page.goto(address, { waitUntil: 'commit', timeout: patienceMs });
  await rows(page).nth(3).waitFor();
  let place: Awaited<ReturnType<Locator['boundingBox']>> = null;
  while (place === null) place = await rows(page).nth(3).boundingBox(); // a row may be replaced by its newer version
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
  await page.evaluate(recordFrames);
  const endsAt = performance.now() + scrolledMs;
  while (performance.now() < endsAt) {
    await page.mouse.wheel(0, 240);
    await sleep(frameMs);
  }
  return page.evaluate(recordedFrames);
}

type Recording = { frames: number[] };

/** Runs in the page. */
function recordFrames(): void {
  const recording = globalThis as unknown as Recording;
  recording.frames = [];
  let before: number | null = null;
  const note = (time: number) => {
    if (before !== null) recording.frames.push(time - before);
    before = time;
    requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
}

/** Runs in the page. */
function recordedFrames(): number[] {
  return (globalThis as unknown as Recording).frames;
}
