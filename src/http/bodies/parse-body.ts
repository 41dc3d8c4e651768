import type { Endpoint } from '../../contract/endpoint.ts';
import { ValidationError } from '../../contract/errors.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { type KeepTree, parseJson } from '../../util/json/parse.ts';
import { validate } from '../validate.ts';

const trees = new WeakMap<Endpoint, KeepTree | undefined>();

/** What the two threads call an endpoint. */
export function endpointName({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

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
