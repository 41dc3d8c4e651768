import type { Config } from '../config.ts';
import type { Graders } from '../evaluation/graders/graders.ts';
import type { Rules } from '../evaluation/rules/rules.ts';
import type { Budget } from '../finetuning/budget.ts';
import { openElsewhere } from '../finetuning/elsewhere.ts';
import { type Finetuning, openFinetuning } from '../finetuning/finetuning.ts';
import type { TrainingFromCalls } from '../finetuning/from-calls/training-from-calls.ts';
import type { Identity } from '../identity/identity.ts';
import { startBlobCleaner } from '../jobs/blob-cleaner.ts';
import { task } from '../jobs/job-kind.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { startMonitorWatcher } from '../jobs/monitor-watcher.ts';
import { startPolicyWatcher } from '../jobs/policy-watcher.ts';
import { evaluateModel, evaluateModelHandler } from '../jobs/tasks/evaluate-model.ts';
import { openGradeOutputs } from '../jobs/tasks/grade-outputs.ts';
import { runGateHandler, runGateKind } from '../jobs/tasks/run-gate.ts';
import { runEvalHandler, runEvalKind } from '../jobs/tasks/run-openai-eval.ts';
import { runTurnHandler, runTurnKind } from '../jobs/tasks/run-turn.ts';
import { scanSuiteHandler, scanSuiteKind } from '../jobs/tasks/scan-suite.ts';
import { scoreCalls, scoreCallsHandler } from '../jobs/tasks/score-calls.ts';
import { trainTask } from '../jobs/tasks/train.ts';
import type { Log } from '../log.ts';
import { checkpointTitle } from '../services/models/artifact-model.ts';
import { overBase } from '../services/models/served-model.ts';
import type { Services } from '../services/services.ts';
import { listOlderCheckpoints } from '../services/training/checkpoint-artifacts.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { ClickHouse } from '../store/clickhouse/clickhouse.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { nextStep } from '../store/postgres/training/checkpoints.ts';
import type { Tinker } from '../tinker/tinker.ts';
import type { Trainer } from '../training/trainer.ts';
import type { ServedModels } from './models.ts';
import type { Opened } from './opened.ts';
import { trainingLimits } from './trainer.ts';

type Parts = Pick<ServedModels, 'models' | 'inference' | 'modelReader'> & {
  config: Config;
  log: Log;
  clickhouse: ClickHouse;
  postgres: Postgres;
  blobs: Blobs;
  identity: Identity;
  peers: Peers;
  services: Services;
  jobs: Jobs;
  rules: Rules;
  graders: Graders;
  trainer: Trainer;
  budget: Budget;
  tinker: Tinker;
  trainingFromCalls: TrainingFromCalls;
};

/**
 * Starts running jobs, looking for calls to score and for outcomes of policies, and deleting unused files.
 * @returns what stops them; another process, or the next start, goes on from there
 */
export async function startWork(parts: Parts, opened: Opened): Promise<() => Promise<void>> {
  const {
    config,
    log,
    clickhouse,
    postgres,
    blobs,
    identity,
    peers,
    services,
    jobs,
    rules,
    graders,
    tinker,
    trainingFromCalls,
  } = parts;
  await listOlderCheckpoints({ postgres, blobs });
  const evaluation = { identity, services, rules, graders };
  const onError = (error: unknown, message: string) => log.error({ err: error }, message);
  const onWarning = (message: string, error: unknown) => log.warn({ err: error }, message);
  await jobs.start([
    task(evaluateModel, evaluateModelHandler(evaluation)),
    task(runGateKind, runGateHandler(evaluation)),
    task(runEvalKind, runEvalHandler(evaluation)),
    task(scanSuiteKind, scanSuiteHandler(services.suites)),
    task(scoreCalls, scoreCallsHandler(evaluation, onWarning)),
    trainTask(finetuningOf(parts), trainingLimits(config)),
    task(runTurnKind, runTurnHandler({ ...evaluation, jobs, trainingFromCalls })),
  ]);
  tinker.start();
  const watcher = opened.add(
    startMonitorWatcher(
      { clickhouse, postgres, identity, peers, services, jobs },
      {
        callsPerHourMax: config.monitorCallsPerHourMax,
        onError,
      },
    ),
  );
  const policies = opened.add(
    startPolicyWatcher({ clickhouse, postgres, identity, peers, policies: services.policies }, { onError }),
  );
  const cleaner = opened.add(
    startBlobCleaner({ postgres, blobs, peers }, { uploadSecondsMax: config.signedUrlSeconds, onError }),
  );
  return async () => {
    await Promise.all([watcher.close(), policies.close(), cleaner.close(), jobs.stop(), tinker.close()]);
  };
}

function finetuningOf(parts: Parts): Finetuning {
  const {
    config,
    log,
    postgres,
    blobs,
    identity,
    peers,
    models,
    inference,
    modelReader,
    services,
    graders,
    trainer,
    budget,
  } = parts;
  return openFinetuning({
    completions: services.completions,
    inference,
    modelReader,
    grade: openGradeOutputs({ identity, graders }),
    postgres,
    blobs,
    models,
    isElsewhere: openElsewhere({ models, peers }),
    trainer,
    budget,
    samplerKlMax: samplerKlMax(config),
    recorder: services.calls,
    runs: services.runs,
    suites: services.suites,
    async serve(model, id) {
      const base = await models.find(model.baseModel);
      if (!base) return;
      const project = (await identity.projectName(model.projectId)) ?? model.projectId;
      const title = checkpointTitle(project, model.name, await nextStep(postgres, model.id));
      const files = { blobs: trainingKeys.checkpoint(model.projectId, id) };
      await inference.loadAdapter(overBase(base, { id, name: model.name, title, files }));
    },
    onDefect: (error) => log.error({ err: error }, 'a training job failed'),
  });
}

/** The default is for trainers that may differ from the sampler. */
function samplerKlMax({ trainerSamplerKlMax, tinkerUrl, sources }: Config): number | null {
  const isChecked = tinkerUrl !== '' || sources.trainerSamplerKlMax !== undefined;
  return isChecked && trainerSamplerKlMax > 0 ? trainerSamplerKlMax : null;
}
