import { statSync } from 'node:fs';
import { type ModelConfig, UnsupportedModelError } from '../../engine/models/config.ts';
import { readConfig } from '../../engine/models/open-source.ts';
import { readHuggingFaceConfig } from '../../engine/models/safetensors/config.ts';
import type { WithModelFiles } from '../../engine/models/with-model-files.ts';
import { Failure, invalidInput } from '../../util/failures.ts';
import { openInTurn } from '../../util/in-turn.ts';
import type { Trainer } from '../trainer.ts';
import { openTinkerHttp, type RetryOptions } from './client/http.ts';
import { knowsSession, supportedModels } from './client/session.ts';
import { openRemoteModels } from './model/remote-models.ts';
import { tinkerModel } from './model/tinker-model.ts';
import { waitForPlace } from './model/wait-for-place.ts';
import { type Probed, probeServer } from './probe/probe.ts';
import { deviationsOf, type ServerTraits } from './probe/traits.ts';
import { supportedModel } from './server-models.ts';

export type TinkerTrainerOptions = {
  url: string;
  /** Empty for none. */
  apiKey: string;
  /** The names of base models on the server, where they have others there. */
  modelNames: ReadonlyMap<string, string>;
  /** Whether jobs are refused if the server does something otherwise than they may ask. */
  isStrict: boolean;
  /** Of a base model only the configuration is read; its weights need not be here. */
  withModelFiles: WithModelFiles;
  retry?: RetryOptions;
};

/** Trains on a Tinker server. */
export function tinkerTrainer({
  url,
  apiKey,
  modelNames,
  isStrict,
  withModelFiles,
  retry,
}: TinkerTrainerOptions): Trainer {
  const http = openTinkerHttp({ url, apiKey, ...(retry && { retry }) });
  const { host } = http;
  /** What was measured, by the names of base models on the server. */
  const probed = new Map<string, Promise<Probed>>();
  const creating = openInTurn();

  /** Once for the process, and again after the server was restarted: it may be another one. */
  async function traitsOf(baseModel: string, vocabSize: number): Promise<ServerTraits> {
    const before = probed.get(baseModel);
    const isSame = before && (await knowsSession(http, (await before).sessionId, 'always'));
    if (!isSame && probed.get(baseModel) === before) probed.set(baseModel, probe(baseModel, vocabSize));
    return (await probed.get(baseModel)!).traits;
  }

  function probe(baseModel: string, vocabSize: number): Promise<Probed> {
    const found = creating(() => probeServer(http, { baseModel, vocabSize })); // it looks at what is left in a place
    found.catch(() => probed.delete(baseModel));
    return found;
  }

  return {
    async createModel(spec, signal, onWaiting) {
      signal?.throwIfAborted();
      const { base, rank, seed, alpha, sequenceTokensMax } = spec;
      const config = await withModelFiles(base, configOf);
      const onServer = modelNames.get(base.name) ?? base.name;
      const supported = supportedModel(await supportedModels(http, signal), { name: base.name, onServer, host });
      const contextMax = Math.min(config.contextMax, supported.contextMax ?? config.contextMax);
      if (sequenceTokensMax > contextMax) {
        throw invalidInput(`A sequence has ${sequenceTokensMax} tokens; ${base.name} takes at most ${contextMax}.`);
      }
      const waiting = { signal, onWaiting };
      const measured = () => untilAborted(traitsOf(onServer, config.vocabSize), signal);
      const traits = await waitForPlace(measured, waiting);
      const warnings = deviationsOf(traits, { alpha, host });
      if (isStrict && warnings.length > 0) {
        throw new Failure(
          'unsupported',
          `${warnings.join(' ')} HEDDLE_TINKER_STRICT is set, so nothing is trained there.`,
        );
      }
      const models = await openRemoteModels(http, {
        ...{ baseModel: onServer, rank, seed: seed % 2 ** 31, signal, creating },
        ...{ countsRepeatsOnce: traits.countsRepeatsOnce, keepsGradients: traits.keepsGradients },
      });
      try {
        const trained = await waitForPlace(() => models.create(signal), waiting);
        return tinkerModel(models, trained, { spec, config, contextMax, traits, warnings, host, onWaiting });
      } catch (error) {
        await models.close();
        throw error;
      }
    },
  };
}

/** The configuration of a model whose weights may be elsewhere. */
async function configOf(path: string): Promise<ModelConfig> {
  try {
    return statSync(path).isDirectory() ? readHuggingFaceConfig(path) : await readConfig(path);
  } catch (error) {
    if (!(error instanceof UnsupportedModelError)) throw error;
    throw new Failure('invalidInput', error.message, {}, { cause: error });
  }
}

/** The work goes on for others that wait for it. */
async function untilAborted<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal!.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
