import { examine } from '../admin/doctor.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { openGraders } from '../evaluation/graders/graders.ts';
import { openRules } from '../evaluation/rules/rules.ts';
import { openBudget } from '../finetuning/budget.ts';
import { openTrainingFromCalls } from '../finetuning/from-calls/training-from-calls.ts';
import { endKeptThread } from '../finetuning/prepare/kept-thread.ts';
import { openIdentity } from '../identity/identity.ts';
import { openJobs } from '../jobs/jobs.ts';
import { evalQueue } from '../jobs/tasks/run-openai-eval.ts';
import { turnQueue } from '../jobs/tasks/run-turn.ts';
import { scanQueue } from '../jobs/tasks/scan-suite.ts';
import { trainingQueue } from '../jobs/tasks/train.ts';
import type { Log } from '../log.ts';
import { openServices } from '../services/services.ts';
import { endKeptIndex } from '../services/suites/suite-index.ts';
import { openLocations } from '../store/locations/locations.ts';
import { openSecretKey } from '../store/secret-key.ts';
import type { StoreProblem } from '../store/store-health.ts';
import { storeStates as statesOf } from '../store/store-states.ts';
import { Tinker } from '../tinker/tinker.ts';
import { closeSharedWorkers } from '../util/workers/restarting-worker.ts';
import { openBase } from './base.ts';
import { checkSecretKey } from './check-secret-key.ts';
import { checkDeployment } from './deployment.ts';
import { openFiles } from './files.ts';
import { canBeShared } from './kinds.ts';
import { answerMetrics } from './metrics.ts';
import { openServedModels } from './models.ts';
import { Opened } from './opened.ts';
import { openPeers } from './peers.ts';
import { openProjectCode } from './project-code.ts';
import { openProviders } from './providers.ts';
import { shareCalls } from './share-calls.ts';
import { migrateDatabases, openDatabases } from './stores.ts';
import { openTrainer } from './trainer.ts';
import { reportDamage, watchDisk, watchStores } from './watch-stores.ts';
import { startWork } from './work.ts';
import { openWriters } from './writers.ts';

/**
 * Opens the stores, each at its newest schema, and everything that uses them.
 * @throws LocationDatabaseError, DataDirectoryError, StoreTooNewError with what to do; nothing stays open then.
 */
export async function openContext(config: Config, log: Log, surroundings: Surroundings = {}): Promise<Context> {
  const opened = new Opened();
  opened.add({ close: closeSharedWorkers });
  opened.add({ close: endKeptThread });
  opened.add({ close: endKeptIndex });
  try {
    return await openParts(config, log, opened, surroundings);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

type Surroundings = {
  draining?: AbortSignal;
  /** Called once the data directory belongs to this process, before the stores are opened. */
  beforeStores?: () => Promise<void>;
};

async function openParts(
  config: Config,
  log: Log,
  opened: Opened,
  { draining = new AbortController().signal, beforeStores = async () => {} }: Surroundings,
): Promise<Context> {
  const locations = await openLocations(config.geoDatabase);
  const base = await openBase(config, log, opened);
  await beforeStores();
  const { kinds, directory, disk, metrics } = base;
  const onError = (error: unknown, message: string) => log.error({ err: error }, message);

  const databases = await openDatabases(base, opened);
  const { blobs, directBlobs, localFiles, deployment, watched } = await openFiles(base, opened);
  const secretKey = openSecretKey(config.secretKey, directory.path);
  const [clickhouse, postgres] = [databases.clickhouse.store, databases.postgres.store];
  const peers = await postgres.changeSchema(async () => {
    await checkDeployment(directory, kinds, { databases, bucket: deployment, secretKey });
    const joined = await migrateDatabases(databases, async () => {
      if (canBeShared(kinds)) await checkSecretKey(postgres, secretKey);
      return opened.add(await openPeers(base, postgres));
    });
    await shareCalls(databases, joined);
    return joined;
  });
  const writers = openWriters({ ...base, peers }, databases, opened);
  const identity = openIdentity(postgres, peers);
  const { memory, baseNames, forwardedEnded, ...served } = await openServedModels(
    { ...base, peers, postgres, localFiles, secretKey, draining },
    opened,
  );
  const transport = opened.add(openProviders(config));
  const stores = Object.values(databases);
  watchDisk(disk, stores, log);
  await reportDamage(stores, log);
  const watchedStores = [...stores, watched];
  const health = opened.add(watchStores(watchedStores, log));
  const storeStates = (problems: StoreProblem[]) => statesOf(watchedStores, problems);
  const rules = opened.add(openRules());
  const openQueue = () => openJobs(postgres, peers, { mayStart: () => !disk.isShort(), onError });
  const jobs = opened.add(await postgres.changeSchema(openQueue)); // it makes tables of its own
  const services = openServices(
    {
      ...{ clickhouse, postgres, blobs, directBlobs, localFiles, identity, peers, transport, draining },
      ...{ ...served, ...writers, ...openProjectCode(opened), secretKey },
    },
    {
      redacts: config.redactCredentials,
      providerHosts: config.providerHosts,
      signedUrlSeconds: config.signedUrlSeconds,
      artifactFileMaxBytes: config.artifactFileMaxBytes,
      adapterFolders: config.adapterFolders.split(',').filter(Boolean),
    },
    { training: trainingQueue(jobs), evals: evalQueue(jobs), suites: scanQueue(jobs), loops: turnQueue(jobs) },
  );
  const graders = openGraders({ completions: services.completions, rules });
  answerMetrics(metrics, { ...served, baseNames, memory, stores: watchedStores, health, disk, jobs, peers });
  const parts = {
    ...{ config, log, clickhouse, postgres, blobs, identity, peers, services, jobs, rules, graders },
    ...served,
  };
  const trainer = openTrainer({ config, log, directory, peers, memory, ...served }, opened);
  const budget = openBudget(postgres, {
    tokensMax: config.trainingTokensPerDay,
    secondsMax: config.trainingSecondsPerDay,
  });
  const { completions, calls, training } = services;
  const tinker = new Tinker(
    {
      ...{ postgres, blobs, identity, completions, training, trainer, budget, recorder: calls, ...served },
      onDefect: (error) => log.error({ err: error }, 'a request of a Tinker client failed'),
    },
    {
      sessionsMax: config.tinkerSessionsMax,
      silentSeconds: config.tinkerSilentSeconds,
      modelsMax: config.tinkerModelsMax,
      sequenceTokensMax: config.tinkerSequenceTokensMax,
    },
  );
  opened.add(tinker);
  const trainingFromCalls = openTrainingFromCalls({
    ...{ identity, postgres, ...served, training, calls, suites: services.suites },
    defaultBase: config.defaultModel,
  });
  return {
    ...{
      ...parts,
      ...writers,
      tinker,
      trainingFromCalls,
      databases,
      storeStates,
      locations,
      disk,
      health,
      metrics,
      draining,
    },
    startJobs: () => startWork({ ...parts, trainer, budget, tinker, trainingFromCalls }, opened),
    forwardedEnded,
    async interrupt() {
      await Promise.all([served.inference.close(), transport.close()]);
      await services.responses.ended();
    },
    examine: (address, limits) =>
      examine({ ...{ address, databases, blobs, config, identity, services, health, storeStates }, ...served }, limits),
    close: () => opened.close(),
  };
}
