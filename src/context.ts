import { availableParallelism } from 'node:os';
import { sql } from 'kysely';
import { type Examination, type ExamineLimits, examine } from './admin/doctor.ts';
import { type Inference, openInference } from './chat/process/inference.ts';
import type { ChatLimits } from './chat/types.ts';
import { type Config, environmentName } from './config.ts';
import { MemoryBudget } from './engine/memory/memory-budget.ts';
import { freeMemory } from './engine/memory/plan-memory.ts';
import { tinyModel } from './engine/registry/tiny-model.ts';
import { localTrainer } from './engine/training/process/local-trainer.ts';
import { type Graders, openGraders } from './evaluation/graders/graders.ts';
import { openRules, type Rules } from './evaluation/rules/rules.ts';
import { openFinetuning } from './finetuning/finetuning.ts';
import { openTrainingFromCalls, type TrainingFromCalls } from './finetuning/from-calls/from-calls.ts';
import { openSupervisedTraining, type SupervisedTraining } from './finetuning/sft/supervised-training.ts';
import { type Identity, openIdentity } from './identity/identity.ts';
import { task } from './jobs/job-kind.ts';
import { type Jobs, openJobs } from './jobs/jobs.ts';
import { startMonitorWatcher } from './jobs/monitor-watcher.ts';
import { evaluateModel, evaluateModelHandler } from './jobs/tasks/evaluate-model.ts';
import { openGradeOutputs } from './jobs/tasks/grade-outputs.ts';
import { evalQueue, runEvalHandler, runEvalKind } from './jobs/tasks/run-openai-eval.ts';
import { scoreCalls, scoreCallsHandler } from './jobs/tasks/score-calls.ts';
import { trainingQueue, trainTask } from './jobs/tasks/train.ts';
import type { Log } from './log.ts';
import { BaseNames } from './metrics/base-names.ts';
import { type Metrics, openMetrics } from './metrics/metrics.ts';
import { openTransport, type Transport } from './providers/transport.ts';
import { checkpointFolder } from './services/models/artifact-model.ts';
import { overBase } from './services/models/served-model.ts';
import { openServices, type Services } from './services/services.ts';
import { listOlderCheckpoints } from './services/training/checkpoint-artifacts.ts';
import { type Blobs, openBlobDirectory, removeUnfinished } from './store/blobs/blobs.ts';
import { type BatchedInserter, openBatchedInserter } from './store/clickhouse/batched-inserter.ts';
import {
  type BackgroundCallWriter,
  openBackgroundCallWriter,
} from './store/clickhouse/calls/write/background-writer.ts';
import { type CallWriter, openCallWriter } from './store/clickhouse/calls/write/call-writer.ts';
import { type ClickHouse, openChdb, type ReadLimits } from './store/clickhouse/clickhouse.ts';
import { describeDamagedParts, findDamagedParts } from './store/clickhouse/damage.ts';
import { migrateClickHouse } from './store/clickhouse/migrate.ts';
import { type DataDirectory, openDataDirectory } from './store/data-directory.ts';
import { type Disk, openDisk } from './store/disk/disk.ts';
import { guardBlobs, guardCalls, guardInserter } from './store/disk/guards.ts';
import { openStoreHealth, type StoreHealth } from './store/health/store-health.ts';
import { type Locations, openLocations } from './store/locations/locations.ts';
import { type Models, openModels } from './store/models/models.ts';
import { checkPages, describeDamagedPages, pagesAdvice } from './store/postgres/check-pages.ts';
import { migratePostgres } from './store/postgres/migrate.ts';
import { openPglite, type Postgres } from './store/postgres/postgres.ts';
import { probeDataPath } from './store/probe-path.ts';
import { openSecretKey } from './store/secret-key.ts';
import { StoreUnusableError } from './store/store-unusable.ts';
import { closeSharedWorkers } from './util/workers/restarting-worker.ts';

/** Everything a handler can be given. Parts meet here and nowhere else. */
export type Context = {
  config: Config;
  log: Log;
  clickhouse: ClickHouse;
  postgres: Postgres;
  blobs: Blobs;
  identity: Identity;
  locations: Locations;
  models: Models;
  /** What can be done in a project. */
  services: Services;
  calls: CallWriter;
  /** For calls that the server itself makes, once it has answered. */
  laterCalls: BackgroundCallWriter;
  /** Opens models with the first request for them. */
  inference: Inference;
  /** For rows that are written once and never merged. */
  inserter: BatchedInserter;
  /** Work that outlives a request. */
  jobs: Jobs;
  trainingFromCalls: TrainingFromCalls;
  supervisedTraining: SupervisedTraining;
  rules: Rules;
  graders: Graders;
  /** Starts running jobs. Commands that only open the stores do not call this. */
  startJobs(): Promise<void>;
  /** What is free on the disk of the data. */
  disk: Disk;
  /** Whether the stores answer. */
  health: StoreHealth;
  /** The numbers of this server. */
  metrics: Metrics;
  /** What `heddle doctor` shows of a server at this address. */
  examine(address: string, limits: ExamineLimits): Promise<Examination>;
  /** Finishes what was accepted, then closes the stores and gives the data directory free. */
  close(): Promise<void>;
};

const storeNames = ['ClickHouse', 'PostgreSQL'] as const;
/** How long the numbers wait for a model that is busy with a step. */
const modelAnswerMsMax = 1_000;

/** Without a setting, models may take what the machine has free at the start. */
function modelMemory({ modelMemoryMaxBytes }: Config): MemoryBudget {
  return new MemoryBudget({
    bytesMax: modelMemoryMaxBytes || freeMemory(),
    setting: environmentName('modelMemoryMaxBytes'),
  });
}

function chatLimits(config: Config): ChatLimits {
  return {
    runningMax: config.chatRunningMax,
    waitingMax: config.chatWaitingMax,
    batchInvariant: config.chatBatchInvariant,
    guessMax: config.chatSpeculativeTokensMax,
    adapters: { countMax: config.adaptersMax, rankMax: config.adapterRankMax },
    quantizedArithmetic: config.quantizedArithmetic,
    choicesMax: config.chatChoicesMax,
    logprobsMax: config.chatLogprobsMax,
    preparersMax: config.chatPreparersMax,
    preparationsWaitingMax: config.chatPreparationsWaitingMax,
  };
}

/** A provider that fails is asked again after 0.5 s, 1 s, 2 s …, or when it says. */
function providerTransport(config: Config): Transport {
  return openTransport({
    privateHosts: config.providerHosts,
    timeoutMsMax: config.providerSecondsMax * 1000,
    bytesMax: config.providerMaxBytes,
    backoff: { attemptsMax: config.providerAttemptsMax, firstMs: 500, waitMsMax: 30_000 },
  });
}

function readLimits(config: Config): ReadLimits {
  const cores = availableParallelism();
  const quickMax = Math.min(Math.max(2 * cores, 8), 16);
  return {
    budget: {
      timeMs: config.queryTimeMaxMs,
      bytesRead: config.queryReadMaxBytes,
      memoryBytes: config.queryMemoryMaxBytes,
      threads: Math.min(config.queryThreadsMax, cores),
    },
    lanes: {
      quickMax,
      quickPerGroupMax: quickMax / 2,
      heavyMax: Math.max(1, Math.floor(cores / 2)),
      longMax: config.queryLongMax,
      longPerGroupMax: Math.max(1, Math.floor(config.queryLongMax / 2)),
      trialMs: config.queryTrialMs,
      waitingPerGroupMax: config.queryWaitingMax,
      waitMsMax: config.queryWaitMaxMs,
    },
  };
}

/** Says when writes begin and end to be refused. A merge that cannot finish would only be tried again and again. */
function watchDisk(disk: Disk, clickhouse: ClickHouse, log: Log): void {
  let merges: Promise<void> = Promise.resolve();
  disk.watch((level, found) => {
    if (level === 'roomy') log.info(`${found}: writes are accepted again`);
    else log.error(`${found}: ${level === 'full' ? 'writes and deletions' : 'new data'} are refused with 507`);
    const statement = level === 'full' ? 'SYSTEM STOP MERGES' : 'SYSTEM START MERGES';
    merges = merges.then(() => clickhouse.command(statement)).catch((error) => log.error({ err: error }, statement));
  });
}

/** Tables are loaded with the first statement: what is wrong with their files shows then. */
async function openClickHouse(path: string, limits: ReadLimits): Promise<ClickHouse> {
  try {
    const clickhouse = openChdb(path, limits);
    await clickhouse.query('SELECT count() FROM system.parts');
    return clickhouse;
  } catch (error) {
    throw new StoreUnusableError('ClickHouse', path, (error as Error).message.split('\n', 1)[0]!, { cause: error });
  }
}

/** Damage is reported at each start, and by `heddle doctor`, until somebody acts on it. */
async function reportDamage(directory: DataDirectory, clickhouse: ClickHouse, log: Log): Promise<void> {
  const parts = await findDamagedParts(clickhouse);
  const advice = 'Restore the data directory from a backup, or delete these parts to go on without them';
  if (parts.length > 0) log.error(`ClickHouse: ${describeDamagedParts(parts)}. ${advice}`);
  const reportPages = async () => {
    const { damaged } = await checkPages(directory.postgres);
    if (damaged.length > 0) log.error(`PostgreSQL: ${describeDamagedPages(damaged)}. ${pagesAdvice}`);
  };
  void reportPages().catch(() => {}); // the directory may be closed and deleted before all is read
}

/** ClickHouse inside the process cannot be opened again once it has stopped: then a new process must. */
function watchStores(clickhouse: ClickHouse, postgres: Postgres, log: Log): StoreHealth {
  const probes = {
    ClickHouse: () => clickhouse.internal.query('SELECT 1'), // not in the lanes of requests, also where one asks
    PostgreSQL: () => sql`SELECT 1`.execute(postgres.db),
  };
  return openStoreHealth(probes, {
    onChange(store, problem) {
      if (problem === null) log.info(`${store} answers again`);
      else log.error(problem);
    },
    onDead(store, problem) {
      if (store !== 'ClickHouse') return;
      log.fatal(`${problem}: ending, so that heddle can be started again; what was acknowledged is on the disk`);
      process.kill(process.pid, 'SIGKILL'); // an orderly exit would wait for the store
    },
  });
}

/**
 * Opens the stores of the data directory, each at its newest schema.
 * @throws LocationDatabaseError, DataDirectoryError, StoreTooNewError with what to do; nothing stays open then.
 */
export async function openContext(config: Config, log: Log): Promise<Context> {
  const open: { close(): unknown }[] = [{ close: closeSharedWorkers }];
  const closeAll = async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  };
  try {
    const locations = await openLocations(config.geoDatabase);
    await probeDataPath(config.data);
    const directory = openDataDirectory(config.data);
    open.push(directory);
    const disk = openDisk(directory.path, {
      reserveBytes: config.diskReserveBytes,
      isDefault: config.sources.diskReserveBytes === undefined,
    });
    open.push(disk);
    if (directory.isNew) disk.requireRoomForNew();
    disk.releaseBallastWhenFull();
    const metrics = openMetrics(() => ({
      models: async () => baseNames.label(await inference.load(modelAnswerMsMax)),
      server: async () => ({
        stores: storeNames.map((name) => ({
          name,
          isUp: !health.problems().some((problem) => problem.startsWith(name)),
        })),
        disk: { freeBytes: disk.freeBytes(), reserveBytes: disk.reserveBytes, isShort: disk.isShort() },
        jobs: await jobs.count(),
        modelMemory: memory,
      }),
    }));
    open.push(metrics);
    const clickhouse = metrics.stores.clickhouse(await openClickHouse(directory.clickhouse, readLimits(config)));
    open.push(clickhouse);
    const postgres = await openPglite(directory.postgres, {
      disk,
      onStopped: (error) => log.error({ err: error }, 'PostgreSQL stopped'),
      onReopened: () => log.info('PostgreSQL was opened again'),
    });
    open.push(postgres);
    await Promise.all([migrateClickHouse(clickhouse), migratePostgres(postgres)]);
    const calls = metrics.stores.calls(guardCalls(openCallWriter(clickhouse.internal), disk));
    const inserter = guardInserter(openBatchedInserter(clickhouse.internal), disk);
    open.push({ close: () => Promise.all([calls.drain(), inserter.drain()]) });
    const laterCalls = openBackgroundCallWriter(calls, (error) => log.error({ err: error }, 'a call was not recorded'));
    open.push({ close: () => laterCalls.drain() });
    const memory = modelMemory(config);
    const inference = openInference({
      limits: chatLimits(config),
      memory,
      cacheDirectory: directory.weights,
      niceness: config.modelNiceness,
      ...(config.modelIdleMinutes === 0 ? {} : { idleMsMax: config.modelIdleMinutes * 60_000 }),
      observe: (id) => metrics.observe(baseNames.of(id)),
      onCrash: (error) => log.error({ err: error }, 'a model process ended unexpectedly'),
    });
    open.push(inference);
    const transport = providerTransport(config);
    open.push(transport);
    removeUnfinished(directory.blobs);
    const blobs = guardBlobs(openBlobDirectory(directory.blobs), disk);
    const identity = openIdentity(postgres);
    const models = await openModels(directory.models, postgres, [await tinyModel()], disk);
    const baseNames = new BaseNames(models, await models.list());
    watchDisk(disk, clickhouse, log);
    await reportDamage(directory, clickhouse, log);
    const health = watchStores(clickhouse, postgres, log);
    open.push(health);
    const writers = { calls, laterCalls, inserter };
    const rules = openRules();
    open.push(rules);
    const jobs = await openJobs(postgres, {
      mayStart: () => !disk.isShort(),
      onError: (error, message) => log.error({ err: error }, message),
    });
    open.push(jobs);
    const secretKey = openSecretKey(config.secretKey, directory.path);
    const services = openServices(
      { clickhouse, postgres, blobs, identity, secretKey, models, inference, transport, ...writers },
      {
        redacts: config.redactCredentials,
        providerHosts: config.providerHosts,
        signedUrlSeconds: config.signedUrlSeconds,
        adapterFolders: config.adapterFolders.split(',').filter(Boolean),
      },
      { training: trainingQueue(jobs), evals: evalQueue(jobs) },
    );
    const graders = openGraders({ completions: services.completions, rules });
    const finetuning = openFinetuning({
      inference,
      grade: openGradeOutputs({ identity, graders }),
      postgres,
      blobs,
      models,
      trainer: localTrainer({
        memory,
        cacheDirectory: directory.weights,
        niceness: config.trainingNiceness,
        roomMaker: inference.roomMaker,
        ...(config.trainingThreads === 0 ? {} : { threads: config.trainingThreads }),
      }),
      recorder: services.calls,
      runs: services.runs,
      async serve(model, checkpointId) {
        const base = await models.find(model.baseModel);
        if (!base) return;
        const folder = await checkpointFolder({ blobs }, model, checkpointId);
        await inference.loadAdapter(overBase(base, { id: checkpointId, name: model.name, folder }));
      },
      onDefect: (error) => log.error({ err: error }, 'a training job failed'),
    });
    const fromCommands = {
      ...{ models, training: services.training, calls: services.calls },
      defaultBase: config.defaultModel,
    };
    const trainingFromCalls = openTrainingFromCalls({ ...fromCommands, identity, postgres });
    const supervisedTraining = openSupervisedTraining(fromCommands);
    const evaluation = { identity, services, rules, graders };
    const startJobs = async () => {
      await listOlderCheckpoints({ postgres, blobs });
      await jobs.start([
        task(evaluateModel, evaluateModelHandler(evaluation)),
        task(runEvalKind, runEvalHandler(evaluation)),
        task(
          scoreCalls,
          scoreCallsHandler(evaluation, (message, error) => log.warn({ err: error }, message)),
        ),
        trainTask(finetuning),
      ]);
      const watcher = startMonitorWatcher(
        { clickhouse, postgres, identity, services, jobs },
        {
          callsPerHourMax: config.monitorCallsPerHourMax,
          onError: (error, message) => log.error({ err: error }, message),
        },
      );
      open.push(watcher);
    };
    return {
      config,
      log,
      clickhouse,
      postgres,
      blobs,
      identity,
      locations,
      models,
      inference,
      disk,
      health,
      metrics,
      services,
      jobs,
      trainingFromCalls,
      supervisedTraining,
      rules,
      graders,
      startJobs,
      examine: (address, limits) =>
        examine({ address, clickhouse, config, identity, models, postgres, services }, limits),
      ...writers,
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
