import type { Config } from '../config.ts';
import { oneAtATime, type TrainingLimits } from '../jobs/tasks/train.ts';
import type { Log } from '../log.ts';
import type { DataDirectory } from '../store/data-directory.ts';
import type { Peers } from '../store/peers/peers.ts';
import { localTrainer } from '../training/local/local-trainer.ts';
import { tinkerTrainer } from '../training/tinker/tinker-trainer.ts';
import type { Trainer } from '../training/trainer.ts';
import { parseNamedValues } from '../util/named-values.ts';
import type { ServedModels } from './models.ts';
import type { Opened } from './opened.ts';

type Parts = Pick<ServedModels, 'models' | 'inference' | 'memory'> & {
  config: Config;
  log: Log;
  directory: DataDirectory;
  peers: Peers;
};

/** Trains for jobs and for clients of the Tinker API: at a Tinker server if one is set, otherwise on this machine. */
export function openTrainer(parts: Parts, opened: Opened): Trainer {
  const { config, models } = parts;
  if (config.tinkerUrl === '') return openLocalTrainer(parts, opened);
  return tinkerTrainer({
    url: config.tinkerUrl,
    apiKey: config.tinkerApiKey,
    modelNames: parseNamedValues(config.tinkerModels)!,
    isStrict: config.tinkerStrict,
    withModelFiles: models.withFiles,
  });
}

/** How many jobs train at once. A Tinker server has room for several models. */
export function trainingLimits({ tinkerUrl, tinkerJobs, tinkerProjectJobs }: Config): TrainingLimits {
  if (tinkerUrl === '') return oneAtATime;
  return { runningMax: tinkerJobs, runningPerProjectMax: tinkerProjectJobs || unlimited };
}

/** For PostgreSQL, a number. */
const unlimited = 1_000_000;

function openLocalTrainer(parts: Parts, opened: Opened): Trainer {
  const { config, log, directory, peers, models, inference, memory } = parts;
  const trainer = opened.add(
    localTrainer({
      memory,
      withModelFiles: models.withFiles,
      cacheDirectory: directory.weights,
      niceness: config.trainingNiceness,
      idleMsMax: config.trainingIdleMinutes * 60_000,
      roomMaker: inference.roomMaker,
      ...(config.trainingThreads === 0 ? {} : { threads: config.trainingThreads }),
    }),
  );
  const served = async () => new Set((await models.list()).map(({ id }) => id));
  peers.on('models', () => {
    trainer
      .closeRemoved(served)
      .catch((error) => log.warn({ err: error }, 'a removed model is still open for training'));
  });
  return trainer;
}
