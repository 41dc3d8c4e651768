import type { ChatLimits } from '../chat/types.ts';
import { type Config, environmentName } from '../config.ts';
import { MemoryBudget } from '../engine/memory/memory-budget.ts';
import { freeMemory } from '../engine/memory/plan-memory.ts';
import { tinyModel } from '../engine/registry/tiny-model.ts';
import type { Inference } from '../inference/inference.ts';
import { openInferenceByKind } from '../inference/inference-by-kind.ts';
import type { ModelReader } from '../inference/model-reader.ts';
import { openOwnInference } from '../inference/own/own-inference.ts';
import { openOwnModelReader } from '../inference/own/own-model-reader.ts';
import type { VllmServerState } from '../inference/vllm/servers/vllm-servers.ts';
import type { Log } from '../log.ts';
import { BaseNames } from '../metrics/base-names.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { LocalFiles } from '../store/blobs/local-files.ts';
import type { DataDirectory } from '../store/data-directory.ts';
import type { Disk } from '../store/disk/disk.ts';
import { type Models, openModels } from '../store/models/models.ts';
import type { Peers } from '../store/peers/peers.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { SecretKey } from '../store/secret-key.ts';
import { openModelPeers } from './model-peers.ts';
import type { Opened } from './opened.ts';
import { openVllmModels, vllmLimits } from './vllm.ts';

/** The models that are served, what runs them, and the memory that all of them share. */
export type ServedModels = {
  models: Models;
  inference: Inference;
  modelReader: ModelReader;
  memory: MemoryBudget;
  baseNames: BaseNames;
  /** The vLLM servers that are set, as this process and those of its models find them. */
  vllmServers(): Promise<VllmServerState[]>;
  /** Resolves when no request of another process is under way here. */
  forwardedEnded(): Promise<void>;
};

type Surroundings = {
  secretKey: SecretKey;
  draining: AbortSignal;
  config: Config;
  log: Log;
  directory: DataDirectory;
  disk: Disk;
  metrics: Metrics;
  peers: Peers;
  postgres: Postgres;
  localFiles: LocalFiles;
};

export async function openServedModels(
  { config, log, directory, disk, metrics, peers, postgres, localFiles, secretKey, draining }: Surroundings,
  opened: Opened,
): Promise<ServedModels> {
  const vllm = await openVllmModels(config, log, opened);
  const models = await openModels(directory.models, postgres, [await tinyModel()], peers, disk, vllm?.models);
  const baseNames = new BaseNames(models, await models.list());
  const memory = modelMemory(config);
  const limits = chatLimits(config);
  const running = {
    withModelFiles: models.withFiles,
    withLocalFiles: localFiles.use,
    niceness: config.modelNiceness,
    ...(config.modelIdleMinutes === 0 ? {} : { idleMsMax: config.modelIdleMinutes * 60_000 }),
    observe: (id: string) => metrics.observe(baseNames.of(id)),
    onCrash: (error: Error) => log.error({ err: error }, 'a model process ended unexpectedly'),
  };
  const own = opened.add(
    openOwnInference({
      ...running,
      limits,
      memory,
      cacheDirectory: directory.weights,
    }),
  );
  const served = async () => new Set((await models.list()).map(({ id }) => id));
  peers.on('models', () => {
    own.closeRemoved(served).catch((error) => log.warn({ err: error }, 'removed models are not closed yet'));
  });
  const reader = openOwnModelReader(models.withFiles, localFiles.use);
  const onForwarded = (id: string) => metrics.countForwarded(baseNames.of(id));
  const { ended, ...inferring } = await openModelPeers(
    { config, peers, secretKey, models, memory, own, reader, directory, disk, draining, served, onForwarded },
    opened,
  );
  const atVllm = vllm?.openInference({ ...running, limits: vllmLimits(limits, config) });
  const inference = atVllm ? openInferenceByKind(inferring.inference, atVllm) : inferring.inference;
  const vllmServers = async () => (await atVllm?.states()) ?? [];
  return { models, ...inferring, inference, memory, baseNames, vllmServers, forwardedEnded: ended };
}

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
