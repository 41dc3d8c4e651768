import type { Model } from '../../../domain/model.ts';
import { baseModelOf } from '../../../engine/adapters/peft/read.ts';
import type { Models } from '../../../store/models/models.ts';
import { invalidInput, unacceptable } from '../../../util/failures.ts';
import type { AdapterFile } from './adapter-files.ts';

/**
 * The served model with this name or, without a name, the model that the adapter says it was trained on. @throws
 * Failure
 */
export async function baseOf(models: Models, name: string | null, files: AdapterFile[]): Promise<Model> {
  if (name !== null) return checkBase(await models.find(name), name);
  const trainedOn = trainedOnOf(files);
  if (trainedOn === null) {
    throw unacceptable('The adapter does not say which model it was trained on. Name the base model.');
  }
  const served = await models.list();
  const isFrom = ({ source }: Model) => source.kind === 'hub' && source.repository === trainedOn;
  const found = served.find((model) => model.name === trainedOn) ?? served.find(isFrom);
  if (found) return checkBase(found, trainedOn);
  throw unacceptable(
    `The adapter was trained on ${trainedOn}, but no model of this name is served. Pull it first, or specify the base model.`,
  );
}

function trainedOnOf(files: AdapterFile[]): string | null {
  return baseModelOf(files.find(({ name }) => name === 'adapter_config.json')!.path);
}

function checkBase(model: Model | null, name: string): Model {
  if (model === null) throw invalidInput(`The base model ${name} of the adapter does not exist.`);
  if (model.adapter === null) return model;
  throw invalidInput(`${name} is an adapter and cannot be a base. Its own base is the model ${model.adapter.base}.`);
}
