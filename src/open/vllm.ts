import { resolve } from 'node:path';
import type { ChatLimits } from '../chat/types.ts';
import { type Config, ConfigError } from '../config.ts';
import { openVllmServers, type VllmServers } from '../inference/vllm/servers/vllm-servers.ts';
import { openVllmInference, type VllmInference, type VllmInferenceOptions } from '../inference/vllm/vllm-inference.ts';
import { describeModel, type ServedByVllm } from '../inference/vllm/vllm-models.ts';
import type { Log } from '../log.ts';
import { parseNamedValues } from '../util/named-values.ts';
import type { Opened } from './opened.ts';

/** The models of the vLLM servers that are set. */
export type VllmModels = {
  models(): readonly ServedByVllm[];
  /** Runs them once the other models are known. */
  openInference(
    parts: Omit<
      VllmInferenceOptions,
      'servers' | 'models' | 'addresses' | 'apiKey' | 'adaptersFolder' | 'scoresPrompts'
    >,
  ): VllmInference;
};

/** @returns null if no server is set @throws ConfigError for names without a server */
export async function openVllmModels(config: Config, log: Log, opened: Opened): Promise<VllmModels | null> {
  if (config.vllmUrl === '') return null;
  const addresses = config.vllmUrl.split(',').map((each) => each.trim());
  const apiKey = config.vllmApiKey || null;
  const adaptersFolder = config.vllmAdapters === '' ? null : resolve(config.vllmAdapters);
  const scoresPrompts = config.vllmPromptLogprobs;
  const folders = parseNamedValues(config.vllmModels)!;
  const foundAt = new Date();
  let described: ServedByVllm[] = [];
  let describing = Promise.resolve();
  let inference: VllmInference | null = null;
  let servers: VllmServers | null = null;

  function folderOf(name: string): string | null {
    const folder = folders.get(name);
    return folder === undefined ? null : resolve(folder);
  }

  function describe(): Promise<void> {
    describing = describing.then(async () => {
      described = await Promise.all(
        servers!.models().map((model) => describeModel(model, folderOf(model.name), foundAt)),
      );
      await inference?.closeRemoved(async () => new Set(described.map(({ id }) => id)));
    });
    return describing;
  }

  servers = opened.add(
    await openVllmServers({
      addresses,
      apiKey,
      scoresPrompts,
      log,
      onModels: () => {
        if (servers === null) return; // it is described below
        describe().catch((error) => log.warn({ err: error }, 'the models of vLLM servers cannot be described'));
      },
    }),
  );
  await describe().catch((error) => {
    throw new ConfigError(`A folder in HEDDLE_VLLM_MODELS cannot be read: ${(error as Error).message}.`);
  });
  return {
    models: () => described,
    openInference(parts) {
      inference = opened.add(
        openVllmInference({
          ...parts,
          servers: servers!,
          addresses,
          apiKey,
          adaptersFolder,
          scoresPrompts,
          models: () => described,
        }),
      );
      return inference;
    },
  };
}

/** As many requests at once as the setting says: the servers have queues of their own. */
export function vllmLimits(limits: ChatLimits, { vllmRequestsMax }: Config): ChatLimits {
  return { ...limits, runningMax: vllmRequestsMax, waitingMax: 0 };
}
