import { type Failure, invalidInput } from '../../../util/failures.ts';

export function lacks(model: string, field: string): Failure {
  return invalidInput(`The vLLM servers of ${model} do not support ${field}.`, { param: field });
}

export function doesNotEmbed(model: string): Failure {
  return invalidInput(`The vLLM servers of ${model} do not embed texts: they serve it for generation.`, {
    param: 'model',
  });
}
