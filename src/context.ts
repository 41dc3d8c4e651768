import { availableParallelism } from 'node:os';
import type { Config } from './config.ts';
import { type Inference, openInference } from './engine/inference/inference.ts';
import type { InferenceLimits } from './engine/inference/types.ts';
import { tinyModel } from './engine/registry/tiny-model.ts';
import { type Identity, openIdentity } from './identity/identity.ts';
import type { Log } from './log.ts';
import { type Blobs, openBlobDirectory } from './store/blobs/blobs.ts';
import { type BatchedInserter, openBatchedInserter } from './store/clickhouse/batched-inserter.ts';
import { type BackgroundCallWriter, openBackgroundCallWriter } from './store/clickhouse/calls/background-writer.ts';
import { type CallWriter, openCallWriter } from './store/clickhouse/calls/call-writer.ts';
import { type ClickHouse, openChdb, type ReadLimits } from './store/clickhouse/clickhouse.ts';
import { migrateClickHouse } from './store/clickhouse/migrate.ts';
import { openDataDirectory } from './store/data-directory.ts';
import { type Locations, openLocations } from './store/locations/locations.ts';
import { type Models, openModels } from './store/models/models.ts';
import { migratePostgres } from './store/postgres/migrate.ts';
import { openPglite, type Postgres } from './store/postgres/postgres.ts';

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
  calls: CallWriter;
  /** For calls that the server itself makes, once it has answered. */
  laterCalls: BackgroundCallWriter;
  /** Opens models with the first request for them. */
  inference: Inference;
  /** For rows that are written once and never merged. */
  inserter: BatchedInserter;
  /** Finishes what was accepted, then closes the stores and gives the data directory free. */
  close(): Promise<void>;
};

function inferenceLimits(config: Config): InferenceLimits {
  return {
    runningMax: config.chatRunningMax,
    waitingMax: config.chatWaitingMax,
    choicesMax: config.chatChoicesMax,
    logprobsMax: config.chatLogprobsMax,
  };
}

function readLimits(config: Config): ReadLimits {
  const cores = availableParallelism();
  return {
    budget: {
      timeMs: config.queryTimeMaxMs,
      bytesRead: config.queryReadMaxBytes,
      memoryBytes: config.queryMemoryMaxBytes,
      threads: Math.min(config.queryThreadsMax, cores),
    },
    lanes: {
      quickMax: Math.min(Math.max(2 * cores, 8), 16),
      heavyMax: Math.max(1, Math.floor(cores / 2)),
      longMax: config.queryLongMax,
      longPerGroupMax: Math.max(1, Math.floor(config.queryLongMax / 2)),
      trialMs: config.queryTrialMs,
      waitingPerGroupMax: config.queryWaitingMax,
      waitMsMax: config.queryWaitMaxMs,
    },
  };
}

/**
 * Opens the stores of the data directory, each at its newest schema.
 * @throws LocationDatabaseError, DataDirectoryError, StoreTooNewError with what to do; nothing stays open then.
 */
export async function openContext(config: Config, log: Log): Promise<Context> {
  const open: { close(): unknown }[] = [];
  const closeAll = async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  };
  try {
    const locations = await openLocations(config.geoDatabase);
    const directory = openDataDirectory(config.data);
    open.push(directory);
    const clickhouse = openChdb(directory.clickhouse, readLimits(config));
    open.push(clickhouse);
    const postgres = await openPglite(directory.postgres);
    open.push(postgres);
    await Promise.all([migrateClickHouse(clickhouse), migratePostgres(postgres)]);
    const calls = openCallWriter(clickhouse.internal);
    const inserter = openBatchedInserter(clickhouse.internal);
    open.push({ close: () => Promise.all([calls.drain(), inserter.drain()]) });
    const laterCalls = openBackgroundCallWriter(calls, (error) => log.error({ err: error }, 'a call was not recorded'));
    open.push({ close: () => laterCalls.drain() });
    const inference = openInference({ limits: inferenceLimits(config), cacheDirectory: directory.weights });
    open.push(inference);
    const blobs = openBlobDirectory(directory.blobs);
    const identity = openIdentity(postgres);
    const models = await openModels(directory.models, postgres, [await tinyModel()]);
    const writers = { calls, laterCalls, inserter };
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
      ...writers,
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
