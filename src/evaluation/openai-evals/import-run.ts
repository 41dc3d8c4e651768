import type { OpenAIEval } from '../../domain/openai-evals/eval.ts';
import type { OpenAIEvalRun } from '../../domain/openai-evals/run.ts';
import type { StoredItem } from '../../domain/openai-evals/stored-item.ts';
import type { Owner } from '../../services/owner.ts';
import { conflict, invalidInput } from '../../util/failures.ts';
import { forEachAtOnce } from '../../util/for-each-at-once.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import type { TrialInput } from '../record-run.ts';
import { endedTrials, findRun, recordEnd, recordException, recordStart, trialCallId, trialsOf } from '../record-run.ts';
import { scoreOnce } from '../score-once.ts';
import { prepareRun } from './prepare-run.ts';
import { recordRow, scorePlace } from './record-row.ts';
import { type EvalDeps, evalRunOf } from './run-eval.ts';
import type { EvalRun } from './run-row.ts';

/** An output item of another server. `output` is the text of the model. */
export type ImportedItem = Omit<StoredItem, 'index' | 'sample'> & {
  item: Record<string, unknown>;
  sample: StoredItem['sample'] & { model: string; error: { code: string; message: string } | null };
  output: string | null;
  /** Microseconds since 1970. */
  createdAt: number;
};

type Imported = {
  of: OpenAIEval;
  /** It is stored already. */
  run: OpenAIEvalRun;
  /** All items of the run, the same each time. */
  items(): AsyncIterable<ImportedItem>;
};

const rowsAtOnce = 16;

/**
 * Records the items of a run that was made on another server as the trials of an evaluation. Items that are recorded
 * already stay as they are.
 * @returns how many were recorded
 * @throws Failure if the run has other items
 */
export async function importRunItems(
  deps: EvalDeps,
  { of, run: stored, items }: Imported,
  owner: Owner,
  signal: AbortSignal,
): Promise<{ added: number; known: number }> {
  const open = { run: stored, of, owner };
  const objects = await prepareRun(deps, open, rowsOf(items(), stored), signal);
  if (stored.objects === null) await deps.services.openaiEvals.imported.addObjects(stored.callId, objects);
  else if (stored.objects.table !== objects.table) {
    throw conflict(`The run ${stored.id} has other output items already. Delete the run to import these.`);
  }
  const startedAt = stored.createdAt.getTime() * 1000;
  const times = { startedAt, endedAt: Math.max(startedAt, await lastOf(items())) };
  const run = { ...(await evalRunOf(deps, open, objects)), times };
  const before = await findRun(deps, { runId: run.id, owner });
  if (before === null) await recordStart(deps, run);
  const done = await endedTrials(deps, run);
  let added = 0;
  await forEachAtOnce(pairsOf(deps, run, items()), rowsAtOnce, signal, async ({ trial, item }, ownSignal) => {
    if (done.has(trialCallId(run.id, trial))) return;
    await recordItem(deps, run, { trial, item }, ownSignal);
    added++;
  });
  if (before === null || before.endedAt === null) {
    if (stored.status === 'completed') await recordEnd(deps, run);
    else
      await recordException(deps, { runId: run.id, owner }, stored.error?.message ?? `The run was ${stored.status}.`);
  }
  return { added, known: objects.total - added };
}

/** Rows without the output, unless it was part of the data. */
async function* rowsOf(items: AsyncIterable<ImportedItem>, { model }: OpenAIEvalRun): AsyncGenerator<string> {
  for await (const { item, output, sample } of items) {
    const recorded = model === '' && output !== null ? { sample: { model: sample.model, output_text: output } } : {};
    yield toJson({ item, ...recorded });
  }
}

async function lastOf(items: AsyncIterable<ImportedItem>): Promise<number> {
  let last = 0;
  for await (const { createdAt } of items) last = Math.max(last, createdAt);
  return last;
}

/** The rows were published in the order of the items. */
async function* pairsOf(
  deps: EvalDeps,
  run: EvalRun,
  items: AsyncIterable<ImportedItem>,
): AsyncGenerator<{ trial: TrialInput; item: ImportedItem }> {
  const trials = trialsOf(deps, run);
  for await (const item of items) {
    const { value: trial } = await trials.next();
    if (trial) yield { trial, item };
  }
}

async function recordItem(
  deps: EvalDeps,
  run: EvalRun,
  { trial, item }: { trial: TrialInput; item: ImportedItem },
  signal: AbortSignal,
): Promise<void> {
  const { createdAt: at, item: _, output, ...stored } = item;
  const scored = { row: trial.row, output, texts: { row: trial.rowText, output: new JsonText(toJson(output)) } };
  const scores = await Promise.all(
    run.scorers.map(async (scorer) => {
      const result = item.results.find(({ name }) => name === scorer.criterion.id || name === scorer.criterion.name);
      if (!result) return [];
      const applied = {
        ...scorer,
        async score() {
          const error = result.sample?.error as { message?: unknown } | null | undefined;
          if (error) throw invalidInput(String(error.message ?? 'The grader failed.'));
          return { score: { score: result.score, passed: result.passed }, usage: {} };
        },
      };
      const place = { ...scorePlace(run, trial, scorer), madeAt: at };
      return [{ ...(await scoreOnce(applied, scored, place, run.owner, signal)), key: scorer.key }];
    }),
  );
  await recordRow(deps, run, trial, {
    sample: { error: item.sample.error, output, usage: item.usage },
    scores: scores.flat(),
    stored: { ...stored, index: trial.rowIndex },
    startedAt: at,
    answeredAt: at,
    endedAt: at,
  });
}
