import type { Call } from '../../api/calls.ts';
import { evaluatedBy } from '../../api/evaluations.ts';
import type { ObjectVersion } from '../../api/objects.ts';
import { numberOf, recordOf } from '../../format/json.ts';

export type BoardColumn = { key: string; evaluation: string; scorer: string; path: string; isLowerBetter: boolean };
export type Standing = { model: string; scores: ({ value: number; runId: string; isBest: boolean } | null)[] };

/** The columns of a leaderboard; null if the version is none. */
export function boardColumnsOf({ base_object_class, val }: ObjectVersion): BoardColumn[] | null {
  const { columns } = recordOf(val);
  if (base_object_class !== 'Leaderboard' || !Array.isArray(columns)) return null;
  return columns.map((each, index) => {
    const { evaluation_object_ref, scorer_name, summary_metric_path, should_minimize } = recordOf(each);
    return {
      key: String(index),
      evaluation: String(evaluation_object_ref),
      scorer: String(scorer_name),
      path: String(summary_metric_path),
      isLowerBetter: should_minimize === true,
    };
  });
}

/** Each model with the scores of its newest run of each evaluation, the best of the first column first. `runs` are the newest first. */
export function standingsOf(columns: BoardColumn[], runs: Call[]): Standing[] {
  const models = [...new Set(runs.map((run) => evaluatedBy(run).model))];
  const rows = models.map((model): Standing => {
    const scores = columns.map((column) => {
      for (const run of runs) {
        if (evaluatedBy(run).model !== model || evaluatedBy(run).evaluation !== column.evaluation) continue;
        const value = valueAt(run.output, [column.scorer, ...column.path.split('.')]);
        if (value !== null) return { value, runId: run.id, isBest: false };
        if (Object.hasOwn(recordOf(run.output), column.scorer)) return null; // every row of it failed
      }
      return null;
    });
    return { model, scores };
  });
  for (const [index, { isLowerBetter }] of columns.entries()) {
    const values = rows.flatMap(({ scores }) => scores[index]?.value ?? []);
    const best = isLowerBetter ? Math.min(...values) : Math.max(...values);
    for (const { scores } of rows) if (scores[index]) scores[index].isBest = scores[index].value === best;
  }
  return columns.length === 0 ? rows : rows.toSorted((a, b) => rankOf(a, columns[0]!) - rankOf(b, columns[0]!));
}

/** Models without a score in the column are last. */
function rankOf({ scores: [score] }: Standing, { isLowerBetter }: BoardColumn): number {
  if (!score) return Number.MAX_VALUE;
  return isLowerBetter ? score.value : -score.value;
}

function valueAt(output: unknown, path: string[]): number | null {
  let found = output;
  for (const name of path) found = Object.hasOwn(recordOf(found), name) ? recordOf(found)[name] : undefined;
  return typeof found === 'boolean' ? Number(found) : numberOf(found);
}
