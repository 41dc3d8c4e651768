import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openFuzz } from '../e2e/fuzz/fuzz.ts';
import { findingsText, tallyTable } from '../e2e/fuzz/report.ts';
import { newDataDirectory, startHeddle } from '../e2e/harness/heddle.ts';

/**
 * `npm run fuzz -- --minutes 60 [--seed 1]` sends requests of every kind to a server of its own. It prints new findings after
 * each round, and at the end the statuses of each operation and all findings.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});

/** Beyond this a request hangs. */
const answerMsMax = 10_000;

const data = newDataDirectory();
const server = await startHeddle(data);
const fuzz = await openFuzz(server, answerMsMax);
const shown = new Set<string>();
const endsAt = performance.now() + Number(values.minutes) * 60_000;
for (let seed = Number(values.seed); performance.now() < endsAt; seed++) {
  await fuzz.round({ perOperation: 20, sequences: 5, seed });
  const sent = [...fuzz.tally.values()].flatMap((counts) => Object.values(counts)).reduce((sum, each) => sum + each, 0);
  const left = Math.max(0, Math.round((endsAt - performance.now()) / 60_000));
  say(`seed ${seed}: ${sent} requests so far, ${fuzz.findings.size} findings, ${left} minutes left`);
  const found = [...fuzz.findings].filter(([key]) => !shown.has(key));
  if (found.length > 0) say(findingsText(found.map(([, finding]) => finding)));
  for (const [key] of found) shown.add(key);
}
say(`\n${tallyTable(fuzz.tally)}\n\n${findingsText(fuzz.findings.values())}`);
await server.end('SIGTERM');
rmSync(data, { recursive: true, force: true });
process.exitCode = fuzz.findings.size === 0 ? 0 : 1;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
