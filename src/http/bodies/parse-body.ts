import type { BodyShape } from '../../contract/endpoint.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import { ValidationError } from '../../util/failures.ts';
import { type KeepTree, parseJson } from '../../util/json/parse.ts';

const trees = new WeakMap<BodyShape, KeepTree | undefined>();

/** Which values of a body are kept as text. */
export function keptOf(shape: BodyShape): KeepTree | undefined {
  if (!trees.has(shape)) trees.set(shape, shape.body && keepTreeOf(shape.body));
  return trees.get(shape);
}

/**
 * Parses the JSON body of a request with its schema.
 * @throws ValidationError, JsonSyntaxError, JsonDepthError, JsonSizeError
 */
export function parseBody(shape: BodyShape, text: string, valuesMax = bodyValuesMax): unknown {
  if (text === '') throw new ValidationError([{ type: 'missing', loc: ['body'], msg: 'Field required' }]);
  const options = { keep: keptOf(shape), isStrict: shape.strictJson ?? false, valuesMax };
  return validate(shape.body!, parseJson(text, options), 'body');
}

/**
 * Limits the values of a body outside its payloads: each takes up to a hundred bytes of memory, whatever its own
 * length.
 */
const bodyValuesMax = 2_000_000;
