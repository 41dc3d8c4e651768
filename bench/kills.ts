import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDataDirectory, startHeddle } from '../e2e/harness/heddle.ts';
import { openClient } from '../e2e/kills/client.ts';
import { findHalfThere } from '../e2e/kills/half-there.ts';
import { Ledger } from '../e2e/kills/ledger.ts';
import { startWriting } from '../e2e/kills/writers.ts';
import { report } from './support/report.ts';

/**
 * Twenty times kill -9, or as often as is given, in the middle of writes of every kind, deletions and revocations
 * included: what was acknowledged must hold after the restart, and nothing may be there in part.
 */

const kills = Number(process.argv[2] ?? 20);
/** On a machine that is busy otherwise, fewer requests are answered before a kill. */
const patienceMs = 15_000;
const data = newDataDirectory();
const ledgers: { project: string; ledger: Ledger }[] = [];
const wrong: string[] = [];

for (let kill = 0; kill < kills; kill++) {
  const project = `ent/kill${kill}`;
  const ledger = new Ledger();
  ledgers.push({ project, ledger });
  const heddle = await startHeddle(data);
  const writing = startWriting(openClient(heddle, data), project, ledger);
  await Promise.race([ledger.reached(100 + ((kill * 137) % 400)), sleep(patienceMs)]);
  writing.stop();
  await heddle.end('SIGKILL');
  await writing.ended;
  await check(`kill ${kill + 1}`, [{ project, ledger }]);
}
await check('all of them once more', ledgers);
rmSync(data, { recursive: true, force: true });
for (const each of wrong) process.stdout.write(`${each}\n`);
if (wrong.length > 0) process.exitCode = 1;

/** Starts the server again, and looks for what does not hold. */
async function check(name: string, checked: typeof ledgers): Promise<void> {
  const startedAt = performance.now();
  const heddle = await startHeddle(data);
  const startMs = performance.now() - startedAt;
  const client = openClient(heddle, data);
  const lost: string[] = [];
  const half: string[] = [];
  for (const { project, ledger } of checked) {
    lost.push(...(await ledger.verify(client)));
    half.push(...(await findHalfThere(client, project)));
  }
  report(name, {
    acknowledged: checked.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0),
    'facts checked': checked.reduce((sum, { ledger }) => sum + ledger.size, 0),
    'that do not hold': lost.length,
    'half there': half.length,
    'ms to start': startMs,
  });
  wrong.push(...[...lost, ...half].map((each) => `${name}: ${each}`));
  await heddle.end('SIGTERM');
}
