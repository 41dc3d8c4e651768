import { isNumber, numberOf, recordOf } from '../../format/json.ts';
import { formatDuration, formatNumber, formatPercent } from '../../format/numbers.ts';

/** A number in the summary of a run. */
export type RunScore = {
  /** Without the word that says how it was summed up: `accuracy` for `accuracy.true_fraction`. */
  title: string;
  path: string[];
  kind: 'share' | 'mean' | 'latency';
};

const depthMax = 5;

/** The scores in the outputs of runs, in the order in which they appear; the model's latency is the last. */
export function scoresOf(outputs: unknown[]): RunScore[] {
  const found = new Map<string, RunScore>();
  for (const output of outputs) collect(output, [], found);
  const scores = [...found.values()];
  return [...scores.filter(({ kind }) => kind !== 'latency'), ...scores.filter(({ kind }) => kind === 'latency')];
}

export function scoreAt(output: unknown, { path }: Pick<RunScore, 'path'>): number | null {
  let found = output;
  for (const name of path) found = Object.hasOwn(recordOf(found), name) ? recordOf(found)[name] : undefined;
  return numberOf(found);
}

export function formatScore(value: number, kind: RunScore['kind']): string {
  if (kind === 'share') return formatPercent(value);
  return kind === 'latency' ? formatDuration(value * 1000) : formatNumber(value);
}

/** Summaries have `true_count` beside the share, and summaries of what a model answers are of no interest here. */
function collect(value: unknown, path: string[], found: Map<string, RunScore>): void {
  if (path.length > depthMax) return;
  for (const [name, each] of Object.entries(recordOf(value))) {
    const here = [...path, name];
    if (path.length === 0 && (name === 'output' || name === 'model_output')) continue;
    if (!isNumber(each)) collect(each, here, found);
    else if (name !== 'true_count') found.set(here.join('\0'), scoreOf(here));
  }
}

function scoreOf(path: string[]): RunScore {
  const last = path.at(-1)!;
  const isSummary = last === 'mean' || last === 'true_fraction';
  const named = isSummary && path.length > 1 ? path.slice(0, -1) : path;
  if (path[0] === 'model_latency') return { title: 'Latency', path, kind: 'latency' };
  return { title: named.join('.'), path, kind: last === 'true_fraction' ? 'share' : 'mean' };
}
