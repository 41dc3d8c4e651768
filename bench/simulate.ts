import { readFileSync } from 'node:fs';
import { type Fit, fitCosts } from './simulate/fit.ts';
import { type Setup, simulate } from './simulate/write-path.ts';
import type { Measured } from './support/processes/figures.ts';
import { report } from './support/report.ts';

/**
 * A simulation of the write path of several processes: it is fitted on what `npm run bench -- processes` measured for one and two,
 * predicts more of them on the same machine, and then deployments that no laptop can hold.
 *
 *     npm run bench -- simulate FILE [processes to predict = 3]
 */

const [path, predicted = '3'] = process.argv.slice(2);
if (path === undefined) throw new Error('Name the file that `npm run bench -- processes` has written.');
const measured = JSON.parse(readFileSync(path, 'utf8')) as Measured[];
const fittedOn = [1, 2];
const cores = 2;

/** On disk, from `bench/results/calls.md` and from the columns of `call_parts`. */
const bytesOfCall = 700;
const bytesOfLine = 60;
/** Of the levels below the largest parts. */
const smallParts = 20;
/** Of a trace in a Bloom filter that is wrong once in a hundred times. */
const bitsOfFilter = 9.6;

for (const each of measured) await predict(each);
const spans = measured.find(({ load }) => load.startsWith('spans'));
if (spans !== undefined) await predictLargeDeployments(fitCosts(spans, fittedOn), spans.callsPerRequest);
describeLookups();

async function predict(of: Measured): Promise<void> {
  const { costs, statementsPerCommit } = fitCosts(of, fittedOn);
  report(`${of.load}: ms of a core`, { ...costs, 'statements a commit': statementsPerCommit });
  const setup = (processes: number): Setup => ({
    processes,
    callsPerRequest: of.callsPerRequest,
    load: { connections: of.connections },
    cores: { shared: cores },
    statementsPerCommit,
    insertsPerSecondMax: 10,
    roundTripMs: 0.3,
    seconds: 60,
  });
  const raw = new Map<number, number>();
  for (const processes of [...fittedOn, Number(predicted)]) {
    raw.set(processes, (await simulate(setup(processes), costs)).rate);
  }
  // What the model leaves out slows all of them down alike.
  const found = of.figures.filter(({ processes }) => fittedOn.includes(processes));
  const scale = found.reduce((sum, { processes, rate }) => sum + rate / raw.get(processes)!, 0) / found.length;
  for (const [processes, rate] of raw) {
    const real = of.figures.find((figures) => figures.processes === processes)?.rate;
    report(`  ${processes} ${fittedOn.includes(processes) ? '(fitted)' : '(predicted)'}`, {
      'calls/s': rate * scale,
      measured: real ?? '–',
      'off by %': real === undefined ? '–' : 100 * ((rate * scale) / real - 1),
    });
  }
  report('  share of the processors that the model explains', { '': scale });
}

/** Machines of their own for each process and for the stores, and 100,000 spans a second. */
async function predictLargeDeployments({ costs, statementsPerCommit }: Fit, callsPerRequest: number): Promise<void> {
  for (const [processes, insertsPerSecondMax] of [
    [10, 10],
    [100, 10],
    [100, 200],
    [1000, 10],
    [1000, 200],
    [1000, 2000],
  ] as const) {
    const outcome = await simulate(
      {
        processes,
        callsPerRequest,
        load: { requestsPerSecond: 100_000 / callsPerRequest },
        cores: { ofProcess: 4, ofStores: 1024 },
        statementsPerCommit,
        insertsPerSecondMax,
        roundTripMs: 2,
        seconds: 30,
      },
      costs,
    );
    report(`100,000 spans/s, ${processes} processes, ${insertsPerSecondMax} inserts/s`, {
      'ms p50': outcome.p50,
      p99: outcome.p99,
      'inserts/s': outcome.insertsPerSecond,
      'cores of the stores': outcome.storeCores,
      'of a process': outcome.processCores,
      unanswered: outcome.waiting,
    });
  }
}

/** What grows with the number of calls that a project has, from the indices of the tables: granules that are read. */
function describeLookups(): void {
  const [granule, granuleOfParts, falsePositives, partBytes] = [8192, 256, 0.01, 150e9];
  for (const calls of [1e6, 1e8, 1e10]) {
    const partsOfCalls = Math.max(1, (calls * bytesOfCall) / partBytes);
    const partsOfLines = Math.max(1, (calls * bytesOfLine) / partBytes);
    report(`a project of ${calls.toExponential(0)} calls`, {
      'large parts of calls': partsOfCalls,
      'rows read for the lines of one call': (partsOfLines + smallParts) * granuleOfParts,
      'rows read for one trace, by false positives': (calls / granule) * falsePositives * granule,
      'MB of filters for it': (calls * bitsOfFilter) / 8e6,
    });
  }
}
