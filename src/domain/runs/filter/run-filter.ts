import { invalidInput } from '../../../util/failures.ts';
import { parsePlain } from '../../../util/json/parse.ts';
import { compareValues, equals, timeOf } from './compare.ts';
import { type FilteredRun, fieldOf, isObject, knownFields, type ReadField } from './run-fields.ts';
import { timedPattern } from './timed-pattern.ts';

export type RunCondition = (run: FilteredRun) => boolean;

/**
 * The condition of a filter in the query language of MongoDB, as clients write it. What is not understood is refused: a
 * part that was ignored would select the wrong runs.
 * @returns null for a filter that every run matches
 * @throws Failure that names the part
 */
export function readRunFilter(text: string): RunCondition | null {
  const conditions = readObject(parse(text), 0);
  return conditions.length === 0 ? null : all(conditions);
}

type Test = (value: unknown) => boolean;

/** Deeper filters are not written by people; reading one recurses. */
const depthMax = 20;

function readObject(filter: unknown, depth: number): RunCondition[] {
  if (!isObject(filter))
    throw invalidInput(`A filter of runs must be a JSON object (found ${JSON.stringify(filter)}).`);
  if (depth > depthMax) throw invalidInput(`A filter of runs can have at most ${depthMax} levels.`);
  return Object.entries(filter).map(([name, value]) => readMember(name, value, depth));
}

function readMember(name: string, value: unknown, depth: number): RunCondition {
  const below = () => readList(name, value).map((each) => all(readObject(each, depth + 1)));
  switch (name) {
    case '$and':
      return all(below());
    case '$or':
      return any(below());
    case '$nor':
      return not(any(below()));
    case '$not':
      return not(all(readObject(value, depth + 1)));
  }
  if (name.startsWith('$')) throw unknownOperator(name);
  const read = fieldOf(name);
  if (read === null)
    throw invalidInput(`A filter of runs cannot use the field ${name}. The fields are ${knownFields}.`);
  const test = readTest(value, { name, read }, depth);
  return (run) => test(read(run));
}

type Field = { name: string; read: ReadField };

/** What a field is compared with: a value, or an object of operators. */
function readTest(value: unknown, field: Field, depth: number): Test {
  if (depth > depthMax) throw invalidInput(`A filter of runs can have at most ${depthMax} levels.`);
  const operators = isObject(value) ? Object.keys(value).filter((key) => key.startsWith('$')) : [];
  if (!isObject(value) || operators.length === 0) return equalTo(value, field);
  const tests = Object.entries(value).map(([operator, operand]): Test => {
    switch (operator) {
      case '$eq':
        return equalTo(operand, field);
      case '$ne':
        return negate(equalTo(operand, field));
      case '$in':
        return oneOf(readList(operator, operand), field);
      case '$nin':
        return negate(oneOf(readList(operator, operand), field));
      case '$gt':
        return ordered(operand, field, (order) => order > 0);
      case '$gte':
        return ordered(operand, field, (order) => order >= 0);
      case '$lt':
        return ordered(operand, field, (order) => order < 0);
      case '$lte':
        return ordered(operand, field, (order) => order <= 0);
      case '$exists':
        if (typeof operand !== 'boolean')
          throw invalidInput(`$exists must be true or false (found ${JSON.stringify(operand)}).`);
        return (found) => (found !== undefined && found !== null) === operand;
      case '$not':
        return negate(isObject(operand) ? readTest(operand, field, depth + 1) : equalTo(operand, field));
      case '$regex':
        return matching(operand, value.$options);
      case '$options':
        if (!('$regex' in value)) throw invalidInput('$options needs a $regex beside it.');
        return () => true; // read with its $regex
      default:
        throw unknownOperator(operator);
    }
  });
  return (found) => tests.every((test) => test(found));
}

function equalTo(wanted: unknown, field: Field): Test {
  refuseNoTime(wanted, field);
  return (found) => equals(found, wanted);
}

function oneOf(wanted: unknown[], field: Field): Test {
  const tests = wanted.map((each) => equalTo(each, field));
  return (found) => tests.some((test) => test(found));
}

function ordered(wanted: unknown, field: Field, isWanted: (order: number) => boolean): Test {
  refuseNoTime(wanted, field);
  const test = (found: unknown) => {
    const order = compareValues(found, wanted);
    return order !== null && isWanted(order);
  };
  return (found) => (Array.isArray(found) ? found.some(test) : test(found));
}

function matching(source: unknown, options: unknown = ''): Test {
  if (typeof source !== 'string') throw invalidInput(`$regex must be a string (found ${JSON.stringify(source)}).`);
  if (options !== '' && options !== 'i')
    throw invalidInput(`$options can only be "i" (found ${JSON.stringify(options)}).`);
  const matches = timedPattern(source, options);
  const test = (found: unknown) => typeof found === 'string' && matches(found);
  return (found) => (Array.isArray(found) ? found.some(test) : test(found));
}

/** A field with times is compared with times. */
function refuseNoTime(wanted: unknown, { name, read }: Field): void {
  if (!timeFields.has(read) || wanted === null || timeOf(wanted) !== null) return;
  throw invalidInput(
    `${name} must be compared with a time, such as "2026-01-31T12:00:00Z" (found ${JSON.stringify(wanted)}).`,
  );
}

const timeFields = new Set(
  ['createdAt', 'created_at', 'heartbeatAt', 'heartbeat_at', 'updatedAt', 'updated_at'].map(fieldOf),
);

function readList(operator: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw invalidInput(`${operator} must have a list (found ${JSON.stringify(value)}).`);
  return value;
}

function parse(text: string): unknown {
  try {
    return parsePlain(text);
  } catch (error) {
    throw invalidInput(`A filter of runs must be JSON: ${(error as Error).message}`);
  }
}

function unknownOperator(name: string) {
  return invalidInput(
    `A filter of runs cannot use ${name}. The operators are $and, $or, $nor, $not, $eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, $exists and $regex.`,
  );
}

function all(conditions: RunCondition[]): RunCondition {
  return (run) => conditions.every((condition) => condition(run));
}

function any(conditions: RunCondition[]): RunCondition {
  return (run) => conditions.some((condition) => condition(run));
}

function not(condition: RunCondition): RunCondition {
  return (run) => !condition(run);
}

function negate(test: Test): Test {
  return (found) => !test(found);
}
