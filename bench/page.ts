import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContext } from 'playwright-core';
import { browserPath, buildPage, openBrowser } from '../e2e/web/browser.ts';
import { longTrace, longTraceIds, shortTraces } from './support/page/data.ts';
import { measurePage } from './support/page/measure.ts';
import { type PageSystem, systems } from './support/page/systems.ts';
import { load, untilSettled } from './support/peers/load.ts';
import { startServer } from './support/peers/server.ts';
import { report } from './support/report.ts';

/**
 * How soon the list of traces and a long trace can be used in a browser, and how smoothly they scroll, beside Phoenix and
 * MLflow: `node bench/page.ts [--calls 1000000] [--trace 50000] [--peer-calls 20000] [--peer-trace 5000]
 * [--systems heddle,phoenix,mlflow]`.
 * It needs chromium, and Python 3.11 for the peers. The stores are kept below `HEDDLE_BENCH_DIR` or the system's temporary
 * directory: remove them after a change to the schema.
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    trace: { type: 'string', default: '50000' },
    'peer-calls': { type: 'string', default: '20000' },
    'peer-trace': { type: 'string', default: '5000' },
    systems: { type: 'string', default: Object.keys(systems).join(',') },
  },
});
const loadSecondsMax = 600;
if (browserPath === null) throw new Error('There is no chromium on the PATH. On Debian: apt-get install chromium');
await buildPage();
for (const name of values.systems.split(',')) {
  const system = systems[name];
  if (!system) throw new Error(`There is no system ${name}, only ${Object.keys(systems).join(', ')}.`);
  if (name === 'heddle') await measure(system, Number(values.calls), Number(values.trace));
  else await measure(system, Number(values['peer-calls']), Number(values['peer-trace']));
}
process.exit(); // connections that a peer keeps open would hold it

async function measure(system: PageSystem, calls: number, traceLength: number): Promise<void> {
  const { peer, list, trace, signIn } = system;
  peer.install();
  const data = await storeOf(system, calls, traceLength);
  const server = await startServer(peer, data);
  const browser = await openBrowser();
  try {
    report(`${peer.name}: stored`, { spans: await peer.countSpans(server.client) });
    const [counted, longest] = [calls, traceLength].map((count) => count.toLocaleString('en'));
    const enter = (context: BrowserContext) => signIn(context, server);
    await measurePage(browser, `${peer.name}: the list of ${counted} calls`, await list(server), enter);
    await measurePage(browser, `${peer.name}: a trace of ${longest} calls`, await trace(server, longTraceIds), enter);
  } catch (error) {
    report(`${peer.name}: the rest`, { [(error as Error).message]: 'failed:' });
    process.exitCode = 1;
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** The directory of a store with the calls, which is filled the first time. */
async function storeOf({ peer }: PageSystem, calls: number, traceLength: number): Promise<string> {
  const base = process.env.HEDDLE_BENCH_DIR ?? join(tmpdir(), 'heddle-bench');
  const directory = join(base, `page-${peer.name}-${calls}-${traceLength}`);
  if (existsSync(directory)) return directory;
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const server = await startServer(peer, unfinished);
  try {
    const startedAt = performance.now();
    for (const exports of shortTraces(calls)) await load(peer, server, exports, loadSecondsMax);
    await load(peer, server, longTrace(traceLength), loadSecondsMax);
    const { count } = await untilSettled(peer, server, calls + traceLength, loadSecondsMax * 1000);
    report(`${peer.name}: filled`, { spans: count, s: (performance.now() - startedAt) / 1000 });
  } finally {
    await server.stop();
  }
  renameSync(unfinished, directory);
  return directory;
}
