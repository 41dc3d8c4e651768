import { sftJobConfig } from '../../contract/training-jobs/sft-config.ts';
import { sftSettings } from '../../domain/training/sft-settings.ts';
import type { JobRun } from '../job-run.ts';
import { type FinetuningDeps, runJob } from '../run-job.ts';
import { openMetricLog } from './metric-log.ts';
import type { PreparedSft } from './prepare-sft.ts';
import { trainSft } from './train-sft.ts';

/** A job of supervised fine-tuning: conversations, one step on each batch of them. */
export async function runSft(deps: FinetuningDeps, run: JobRun): Promise<void> {
  const { settings, warnings } = sftSettings(sftJobConfig.parse(run.job.config));
  const log = settings.metricLogging && (await openMetricLog(deps, run, settings.metricLogging));
  await runJob(deps, run, {
    kind: 'sft',
    settings,
    warnings,
    startedData: (prepared) => ({ ...startedData(prepared), ...(log && { metric_logging: log.place }) }),
    train: ({ validation, ...input }) =>
      trainSft({
        ...input,
        heldOut: validation?.batches.flatMap(({ conversations }) => conversations) ?? input.prepared.heldOut,
        settings,
        onValidation: (data) => run.events.add({ type: 'validation', data }),
        async onStep(step) {
          await input.onStep(step);
          await log?.addStep(step);
        },
      }),
    ended: async (metrics) => log?.end(metrics),
  });
}

function startedData({ batches, report }: PreparedSft) {
  return {
    num_sequences: batches.length,
    num_trajectories: report.trajectories,
    num_held_out_trajectories: report.heldOut,
    num_dropped_trajectories: report.dropped,
    num_tokens: report.tokens,
    num_trainable_tokens: report.trainedTokens,
  };
}
