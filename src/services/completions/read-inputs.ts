import { type CompletionInputs, completionInputs } from '../../contract/completions/inputs.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';

/**
 * Makes inputs from parameters that do not come from a request, such as those of a published model. Values may contain
 * `JsonText`. @throws ValidationError
 */
export function readInputs(parameters: Record<string, unknown>): CompletionInputs {
  return validate(completionInputs, parseJson(toJson(parameters), { keep: keepTreeOf(completionInputs) }), 'inputs');
}
