import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatLimits, ModelReference } from '../../chat/types.ts';
import { Failure } from '../../util/failures.ts';
import { type HostClient, openHost } from '../hosts/host-client.ts';
import { type HostedInference, type HostStarting, openHostedInference } from '../hosts/hosted-inference.ts';
import { modelUnavailable } from '../hosts/model-unavailable.ts';
import type { GenerationObserver } from '../observer.ts';
import type { AdapterPlaces } from '../with-adapter-folder.ts';
import { mergeStates } from './merge-states.ts';
import type { VllmServerState, VllmServers } from './servers/vllm-servers.ts';
import { type ServedByVllm, vllmIdPrefix, vocabSizeOf } from './vllm-models.ts';

export type VllmInferenceOptions = AdapterPlaces & {
  servers: VllmServers;
  addresses: readonly string[];
  apiKey: string | null;
  limits: ChatLimits;
  adaptersFolder: string | null;
  /** Whether the logprobs of prompts may be asked for. */
  scoresPrompts: boolean;
  niceness: number;
  idleMsMax?: number;
  observe?: (id: string) => GenerationObserver;
  onCrash?: (error: Failure) => void;
  /** The models that the servers list now. */
  models(): readonly ServedByVllm[];
};

/** Models that vLLM servers run. Each has a process here, with its templates, its tokenizer and its parsers if their files are here. */
export type VllmInference = HostedInference & {
  /** Whether it runs the model with this id. */
  runs(id: string): boolean;
  /**
   * The servers as the regular checks of this process and the processes of the models find them, without those processes that do
   * not respond in time.
   */
  states(): Promise<VllmServerState[]>;
};

export function openVllmInference(options: VllmInferenceOptions): VllmInference {
  const { servers, models, limits, niceness, observe } = options;
  const hosted = openHostedInference({ ...options, openHost: open });

  async function open(reference: ModelReference, starting: HostStarting): Promise<HostClient> {
    const { id } = reference;
    const model = models().find((each) => each.id === id);
    if (!model) throw modelUnavailable(`No vLLM server lists the model ${reference.name} any more.`);
    const { name } = model; // the reference may have that of an adapter
    const path = textFolder(model);
    const vocabSize = path === null ? null : await readVocabSize(path, name);
    const { addresses, apiKey, adaptersFolder, scoresPrompts } = options;
    const engine = {
      addresses,
      apiKey,
      adaptersFolder,
      scoresPrompts,
      model: name,
      contextMax: model.contextLength,
      vocabSize,
    };
    return openHost({
      ...{ name, niceness, limits, limitedBy: 'vllmRequestsMax', path, ...starting },
      ...(observe === undefined ? {} : { observe: () => observe(id) }),
      open: (worker) => worker.request('open', { textPath: path, limits, engine: { kind: 'vllm', ...engine } }),
    });
  }

  return {
    ...hosted,
    runs: (id) => id.startsWith(vllmIdPrefix),
    async states() {
      const loads = await hosted.load(statesMsMax);
      return mergeStates(
        servers.states(),
        [...loads.values()].map(({ vllmServers }) => vllmServers ?? []),
      );
    },
  };
}

const statesMsMax = 1_000;

/** The files that make tokens of messages; null if only the servers have them. @throws Failure for a folder without them */
function textFolder({ name, folder }: Pick<ServedByVllm, 'name' | 'folder'>): string | null {
  if (folder === null) return null;
  if (!existsSync(join(folder, 'tokenizer.json'))) {
    const message = `The folder of ${name} in HEDDLE_VLLM_MODELS has no tokenizer.json.`;
    throw new Failure('unavailable', message, { param: 'model' }, { rule: message });
  }
  return folder;
}

async function readVocabSize(path: string, name: string): Promise<number> {
  return vocabSizeOf(path).catch((cause) => {
    const message = `The files of ${name}, which HEDDLE_VLLM_MODELS names, cannot be read: ${(cause as Error).message}.`;
    throw modelUnavailable(message.replaceAll(path, name), { cause });
  });
}
