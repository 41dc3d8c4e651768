import { rlConfig } from '../../contract/training-jobs/rl-config.ts';
import { alarmSpan, alarmsOf } from '../../domain/training/alarms.ts';
import { type KlPenalty, rlSettings } from '../../domain/training/rl-settings.ts';
import { type TrainedWeights, withoutOptimizer } from '../../engine/training/types.ts';
import { trainingKeys } from '../../services/training/training-keys.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { type Checkpoint, findCheckpoint, listCheckpoints } from '../../store/postgres/training/checkpoints.ts';
import type { TrainedModel } from '../../store/postgres/training/models.ts';
import { invalidInput } from '../../util/failures.ts';
import { readCheckpoint } from '../checkpoint-files.ts';
import type { JobRun } from '../job-run.ts';
import { type FinetuningDeps, runJob } from '../run-job.ts';
import type { PreparedRl } from './prepare-rl.ts';
import { trainRl } from './train-rl.ts';

/** A job of reinforcement learning: groups of trajectories, one step on each row of them. */
export async function runRl(deps: FinetuningDeps, run: JobRun): Promise<void> {
  const { model, events } = run;
  const { settings, warnings } = rlSettings(rlConfig.parse(run.job.config));
  await runJob(deps, run, {
    kind: 'rl',
    settings,
    warnings,
    hasSampler: !settings.precalculatesLogprobs,
    check: refuseUntrainable,
    startedData,
    async train({ latest, ...input }) {
      return trainRl({
        ...input,
        settings,
        reference: await referenceWeights(deps, model, settings.klPenalty, latest),
      });
    },
    async ended(metrics) {
      const messages = await alarms(deps.postgres, model, metrics);
      for (const message of messages) await events.add({ type: 'alarm', data: { message } });
    },
  });
}

/** Groups with equal rewards teach nothing, which is no fault of theirs: such a job ends with a checkpoint as it began. */
function refuseUntrainable({ rows, report, warnings }: PreparedRl): void {
  if (rows.length > 0 || report.trainableGroups === 0) return;
  throw invalidInput(`No trajectory can be trained. ${warnings.join(' ')}`.trim(), { param: 'trajectory_groups' });
}

/** The checkpoint that a KL penalty compares with; null for the base model. */
async function referenceWeights(
  { postgres, blobs }: FinetuningDeps,
  model: TrainedModel,
  penalty: KlPenalty | null,
  latest: Checkpoint | null,
): Promise<TrainedWeights | null> {
  if (!penalty || penalty.reference.kind === 'base') return null;
  const { reference } = penalty;
  const step = reference.kind === 'step' ? reference.step : Math.max(0, (latest?.step ?? 0) - reference.steps);
  if (step === 0) return null;
  const found = await findCheckpoint(postgres, model.id, { step });
  if (!found) throw invalidInput(`The KL penalty refers to step ${step}, which has no checkpoint.`);
  return withoutOptimizer(await readCheckpoint(blobs, trainingKeys.checkpoint(model.projectId, found.id)));
}

async function alarms(postgres: Postgres, { id }: TrainedModel, metrics: Record<string, number>): Promise<string[]> {
  const page = { modelId: id, order: 'desc' as const, afterStep: null, limit: alarmSpan };
  const history = (await listCheckpoints(postgres, page)).map((each) => each.metrics).reverse();
  return alarmsOf(history, metrics);
}

/** The number of steps, and counts of the training data. */
function startedData({ rows, report }: PreparedRl) {
  return {
    num_sequences: rows.length,
    num_groups_submitted: report.groups,
    num_groups_trainable: report.trainableGroups,
    num_trajectories: report.trajectories,
    num_exceptions: report.exceptions,
    num_tokens: report.tokens,
    num_trainable_tokens: report.trainedTokens,
    num_exact_tokens: report.counts.exact,
    num_reconstructed_tokens: report.counts.reconstructed,
    num_reconstructed_prompts: report.counts.promptsReconstructed,
  };
}
