import type { Endpoint } from '../../contract/endpoint.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import { ValidationError } from '../../util/failures.ts';
import { type KeepTree, parseJson } from '../../util/json/parse.ts';

const trees = new WeakMap<Endpoint, KeepTree | undefined>();

/** Which values of an endpoint's body stay text. */
export function keptOf(endpoint: Endpoint): KeepTree | undefined {
  if (!trees.has(endpoint)) trees.set(endpoint, endpoint.body && keepTreeOf(endpoint.body));
  return trees.get(endpoint);
}

/**
 * Parses the JSON body of a request with the schema of its endpoint.
 * @throws ValidationError, JsonSyntaxError, JsonDepthError, JsonSizeError
 */
export function parseBody(endpoint: Endpoint, text: string, valuesMax = bodyValuesMax): unknown {
  if (text === '') throw new ValidationError([{ type: 'missing', loc: ['body'], msg: 'Field required' }]);
  const options = { keep: keptOf(endpoint), isStrict: endpoint.strictJson ?? false, valuesMax };
  return validate(endpoint.body!, parseJson(text, options), 'body');
}

/** Values of a body outside its payloads: each costs up to a hundred bytes of memory, whatever its own length. */
const bodyValuesMax = 2_000_000;
