import { rlConfig } from '../../contract/training-jobs/rl-config.ts';
import type { RftSettings } from '../../domain/training/rft-settings.ts';
import { rlSettings } from '../../domain/training/rl-settings.ts';
import { trainingKeys } from '../../services/training/training-keys.ts';
import type { JobRun } from '../job-run.ts';
import { prepareInThread } from '../prepare/prepare.ts';
import { type FinetuningDeps, runJob } from '../run-job.ts';
import { openGradingFaults } from './grading-faults.ts';
import type { PreparedRft } from './prepare-rft.ts';
import { sampleAnswers } from './sample-answers.ts';
import { trainRft } from './train-rft.ts';
import { withSampler } from './with-sampler.ts';

/** A job of reinforcement learning in which the server answers prompts itself, and a grader rewards the answers. */
export async function runRft(deps: FinetuningDeps, run: JobRun): Promise<void> {
  const settings = run.job.config as RftSettings; // written by `services/fine-tuning`
  const { job, model: trained, signal } = run;
  const { projectId } = trained;
  const grade = await deps.grade({ userId: job.createdBy, projectId, grader: settings.grader, signal });
  const tell = openGradingFaults(run.events);
  await runJob(deps, run, {
    kind: 'rft',
    settings,
    warnings: [],
    hasSampler: true,
    startedData,
    train: async ({ validation, ...input }) =>
      trainRft({
        ...input,
        settings,
        heldOut: validation?.batches.flatMap(({ prompts }) => prompts) ?? [],
        contextLength: (await deps.modelReader.sizes(input.base)).contextLength,
        prepareRows(lines) {
          const { settings: rows } = rlSettings(rlConfig.parse({}));
          const now = job.createdAt.getTime();
          const wanted = { kind: 'rl' as const, settings: rows, base: input.base, seed: 0n, now };
          return prepareInThread(deps.modelReader, lines, wanted, signal);
        },
        async withWeights(model, work) {
          const adapter = await model.saveWeightsForSampler();
          return withSampler(
            deps,
            { base: input.base, adapter, prefix: trainingKeys.sampler(projectId, job.id) },
            work,
          );
        },
        async answer(files, prompt, { n, turn, place, tokensMax }) {
          const choices = await sampleAnswers(deps.completions, files, prompt, {
            ...{ n, tokensMax, signal, reasoningEffort: settings.reasoningEffort },
            tenant: [job.createdBy, projectId],
            seed: (input.seed + (turn * placesMax + place) * n) % 2 ** 31,
          });
          return Promise.all(
            choices.map(async (choice) => {
              const { score: reward, fault } = await grade(prompt.item, choice.message);
              await tell(fault);
              return { choice, reward };
            }),
          );
        },
        onValidation: (data) => run.events.add({ type: 'validation', data }),
      }),
  });
}

function startedData({ batches, report }: PreparedRft) {
  return { num_sequences: batches.length, num_prompts: report.prompts, num_dropped_prompts: report.dropped };
}

/** More than the prompts of a step, so that each of them has a seed of its own. */
const placesMax = 4096;
