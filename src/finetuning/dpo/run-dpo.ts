import type { DpoSettings } from '../../domain/training/dpo-settings.ts';
import type { JobRun } from '../job-run.ts';
import { type FinetuningDeps, runJob } from '../run-job.ts';
import type { PreparedDpo } from './prepare-dpo.ts';
import { trainDpo } from './train-dpo.ts';

/** A job of direct preference optimization: pairs of answers, one step on each batch of them. */
export async function runDpo(deps: FinetuningDeps, run: JobRun): Promise<void> {
  const settings = run.job.config as DpoSettings; // written by `services/fine-tuning`
  await runJob(deps, run, {
    kind: 'dpo',
    settings,
    warnings: [],
    startedData,
    train: ({ from, validation, ...input }) =>
      trainDpo({
        ...input,
        from,
        settings,
        heldOut: validation?.batches.flatMap(({ pairs }) => pairs) ?? [],
        reference: input.start,
        onValidation: (data) => run.events.add({ type: 'validation', data }),
      }),
  });
}

function startedData({ batches, report }: PreparedDpo) {
  return {
    num_sequences: batches.length,
    num_pairs: report.pairs,
    num_dropped_pairs: report.dropped,
    num_tokens: report.tokens,
    num_trainable_tokens: report.trainedTokens,
  };
}
