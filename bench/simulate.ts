import { readFileSync } from 'node:fs';
import { type Fit, fitCosts } from './simulate/fit.ts';
import { type Outcome, type Setup, simulate } from './simulate/write-path.ts';
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
/** By how much figures of the same load differ from run to run, as the difference of their logarithms. */
const errorOfFigures = 0.05;

/** On disk, from `bench/results/calls.md` and from the columns of `call_parts`. */
const bytesOfCall = 700;
const bytesOfLine = 60;
/** Of the levels below the largest parts. */
const smallParts = 20;
/** Of a trace in a Bloom filter that is wrong once in a hundred times. */
const bitsOfFilter = 9.6;

for (const each of measured) {
  const shares = await predict(each);
  if (!each.load.startsWith('spans')) continue;
  await predictLargeDeployments(each, fitCosts(each, fittedOn), shares);
}
describeLookups();

async function predict(of: Measured): Promise<Shares> {
  const { costs, statementsPerBlock } = fitCosts(of, fittedOn);
  report(`${of.load}: ms of a core`, { ...costs, 'statements a block': statementsPerBlock });
  const setup = (processes: number, shares: Shares): Setup => ({
    ...shares,
    processes,
    callsPerRequest: of.calls / of.requests,
    writesPerRequest: of.writesPerRequest,
    bytesPerRequest: of.bytesPerRequest,
    load: { connections: of.connections, requests: of.requests },
    cores: { shared: cores },
    statementsPerBlock,
    insertsPerSecondMax: 10,
    roundTripMs: 0.3,
    seconds: 600,
  });
  const fitted = await fitShares(of, (processes, tried) => simulate(setup(processes, tried), costs));
  const shares = {
    shareBeside: meanOf(fitted, ({ shareBeside }) => shareBeside),
    shareInCommit: meanOf(fitted, ({ shareInCommit }) => shareInCommit),
  };
  const raw = new Map<number, number>();
  const blocks = new Map<number, number>();
  for (const processes of [...fittedOn, Number(predicted)]) {
    const outcomes: Outcome[] = [];
    for (const each of fitted) outcomes.push(await simulate(setup(processes, each.shares), costs));
    raw.set(
      processes,
      meanOf(fitted, (_, i) => outcomes[i]!.rate),
    );
    blocks.set(
      processes,
      meanOf(fitted, (_, i) => outcomes[i]!.blocksPer1000),
    );
  }
  // What the model leaves out slows all of them down alike.
  const used = of.figures.filter(({ processes }) => fittedOn.includes(processes));
  const scale = used.reduce((sum, { processes, rate }) => sum + rate / raw.get(processes)!, 0) / used.length;
  for (const [processes, rate] of raw) {
    const found = of.figures.find((figures) => figures.processes === processes);
    const real = found?.rate;
    report(`  ${processes} ${fittedOn.includes(processes) ? '(fitted)' : '(predicted)'}`, {
      'calls/s': rate * scale,
      measured: real ?? '–',
      'off by %': real === undefined ? '–' : 100 * ((rate * scale) / real - 1),
      'blocks for 1,000 calls': blocks.get(processes)!,
      'measured blocks': found ? found.inserts / 2 : '–',
    });
  }
  report('  measured rates, as a share of the simulated ones', {
    '': scale,
    'work of the stores beside statements': shares.shareBeside,
    'work of requests in their commits': shares.shareInCommit,
  });
  return shares;
}

type Shares = Pick<Setup, 'shareBeside' | 'shareInCommit'>;

type Fitted = { shares: Shares; weight: number };

/**
 * Shares with which the rates that were measured relate to each other, and the numbers of blocks are those that were measured.
 * Many fit about as well as the best, and each counts by how well it fits.
 */
async function fitShares(
  { figures }: Measured,
  run: (processes: number, shares: Shares) => Promise<Pick<Outcome, 'rate' | 'blocksPer1000'>>,
): Promise<Fitted[]> {
  const used = figures.filter(({ processes }) => fittedOn.includes(processes));
  const tried = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const all: (Fitted & { error: number })[] = [];
  for (const shares of tried.flatMap((shareBeside) => tried.map((shareInCommit) => ({ shareBeside, shareInCommit })))) {
    const logs: { rate: number; blocks: number }[] = [];
    for (const { processes, rate, inserts } of used) {
      const outcome = await run(processes, shares);
      logs.push({ rate: Math.log(outcome.rate / rate), blocks: Math.log(outcome.blocksPer1000 / (inserts / 2)) });
    }
    const ofBlocks = logs.reduce((sum, { blocks }) => sum + Math.abs(blocks), 0) / logs.length;
    all.push({ shares, error: Math.abs(logs[0]!.rate - logs[1]!.rate) + ofBlocks, weight: 0 });
  }
  const least = Math.min(...all.map(({ error }) => error));
  for (const each of all) each.weight = Math.exp((least - each.error) / errorOfFigures);
  const total = all.reduce((sum, { weight }) => sum + weight, 0);
  return all.map(({ shares, weight }) => ({ shares, weight: weight / total }));
}

function meanOf(fitted: Fitted[], value: (shares: Shares, i: number) => number): number {
  return fitted.reduce((sum, { shares, weight }, i) => sum + weight * value(shares, i), 0);
}

/** Machines of their own for each process and for the stores, and 100,000 spans a second. */
async function predictLargeDeployments(
  { calls, requests, bytesPerRequest }: Measured,
  { costs, statementsPerBlock }: Fit,
  shares: Shares,
): Promise<void> {
  const callsPerRequest = calls / requests;
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
        writesPerRequest: callsPerRequest,
        bytesPerRequest,
        load: { requestsPerSecond: 100_000 / callsPerRequest },
        cores: { ofProcess: 4, ofStores: 1024 },
        statementsPerBlock,
        ...shares,
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

/** What grows with the calls that a project has, and with those of an hour, from the indices of the tables: granules that are read. */
function describeLookups(): void {
  const [granuleOfParts, falsePositives, partBytes] = [256, 0.01, 150e9];
  for (const calls of [1e6, 1e8, 1e10]) {
    const partsOfCalls = Math.max(1, (calls * bytesOfCall) / partBytes);
    const partsOfLines = Math.max(1, (calls * bytesOfLine) / partBytes);
    report(`a project of ${calls.toExponential(0)} calls`, {
      'large parts of calls': partsOfCalls,
      'rows read for the lines of one call': (partsOfLines + smallParts) * granuleOfParts,
      'MB of filters over traces': (calls * bitsOfFilter) / 8e6,
    });
  }
  for (const perSecond of [100, 1_000, 10_000, 100_000]) {
    const hour = perSecond * 3600;
    const traces = Math.max(1, Math.min(25, perSecond / 120)); // of a commit, with 12 calls each, ten commits a second
    const read = hour * (1 - (1 - falsePositives) ** traces);
    report(`a project of ${perSecond.toExponential(0)} calls/s`, {
      'traces of a commit': traces,
      'rows read to look for their other calls': read,
      'MB of ids': (read * 33) / 1e6,
    });
  }
}
