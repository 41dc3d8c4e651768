import type { RowTargets, TrainingRow } from '../engine/training/row.ts';
import { invalidInput } from '../util/failures.ts';
import type { Datum, Tensor, TrainingRequest } from './training-request.ts';

/** A datum as a row of the trainer, and the shape in which its logprobs are returned. */
export type DatumRow = {
  row: TrainingRow;
  shape: number[] /** The place of each target in that shape. */;
  cells: Int32Array;
};

type Cells = { places: number[]; tokens: number[]; cells: number[]; shape: number[] };

/** The inputs of each loss, besides the targets. Those that are not optional are required. */
const inputsOf: Record<string, { name: string; isOptional: boolean }[]> = {
  cross_entropy: [{ name: 'weights', isOptional: true }],
  gspo: [...policyInputs(), { name: 'sequence_ratio_mask', isOptional: true }],
};

function policyInputs() {
  return ['logprobs', 'advantages'].map((name) => ({ name, isOptional: false }));
}

/** @throws Failure that names the datum and the field */
export function rowsOf(
  { data, lossName }: Pick<TrainingRequest, 'data' | 'lossName'>,
  sequenceTokensMax: number,
): DatumRow[] {
  if (data.length === 0) throw invalidInput('data must not be empty.', { param: 'data' });
  return data.map((datum, i) => {
    const refuse: Refuse = (field, problem) => {
      throw invalidInput(`data[${i}].${field} ${problem}.`, { param: 'data' });
    };
    const { length } = datum.tokens;
    if (length > sequenceTokensMax)
      refuse('model_input', `has ${length} tokens; at most ${sequenceTokensMax} are reserved for a sequence`);
    return rowOf(datum, lossName, refuse);
  });
}

type Refuse = (field: string, problem: string) => never;

function rowOf({ tokens, inputs }: Datum, lossName: string, refuse: Refuse): DatumRow {
  if (tokens.length === 0) refuse('model_input', 'has no tokens');
  const targets = inputs.get('target_tokens') ?? refuse('loss_fn_inputs.target_tokens', 'is missing');
  const { places, tokens: targetTokens, cells, shape } = cellsOf(targets, tokens.length, refuse);
  const known = inputsOf[lossName] ?? policyInputs();
  for (const name of inputs.keys()) {
    if (name !== 'target_tokens' && !known.some((each) => each.name === name))
      refuse(`loss_fn_inputs.${name}`, `is not an input of ${lossName} here`);
  }
  const read = (name: string): Float32Array | undefined => {
    const tensor = inputs.get(name);
    if (tensor) return valuesAt(tensor, targets, cells, (problem) => refuse(`loss_fn_inputs.${name}`, problem));
    const isOptional = known.find((each) => each.name === name)?.isOptional ?? true;
    return isOptional ? undefined : refuse(`loss_fn_inputs.${name}`, `is missing; ${lossName} needs it`);
  };
  const length = tokens.length;
  const isOnly = lossName === 'cross_entropy';
  const row: TrainingRow = {
    tokens,
    positions: Int32Array.from(tokens.keys()),
    groups: new Int32Array(length),
    parents: new Int32Array(length),
    targets: {
      places: Int32Array.from(places),
      tokens: Int32Array.from(targetTokens),
      results: new Int32Array(places.length),
      ...(isOnly ? defined({ weights: read('weights') }) : policyTargets(read)),
    },
  };
  if (lossName === 'gspo') row.targets.results = resultsOf(row.targets, read('sequence_ratio_mask'), refuse);
  return { row, shape, cells: Int32Array.from(cells) };
}

function policyTargets(read: (name: string) => Float32Array | undefined): Partial<RowTargets> {
  return defined({ oldLogprobs: read('logprobs'), advantages: read('advantages') });
}

function defined(values: Record<string, Float32Array | undefined>): Partial<RowTargets> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** One target or several for each token. Of a sparse matrix, those that it lists. */
function cellsOf({ shape, values, sparse }: Tensor, length: number, refuse: Refuse): Cells {
  const [rows, columns = 1, ...more] = shape;
  if (rows !== length || more.length > 0) {
    refuse('loss_fn_inputs.target_tokens', `has the shape [${shape.join(', ')}], for ${length} tokens of model_input`);
  }
  const tokens = Array.from(values);
  if (!sparse) {
    const cells = Array.from(values.keys());
    return { places: cells.map((cell) => Math.floor(cell / columns)), tokens, cells, shape };
  }
  const places = placesOf(sparse.rowStarts);
  return { places, tokens, cells: places.map((place, i) => place * columns + sparse.columns[i]!), shape };
}

function placesOf(rowStarts: number[]): number[] {
  return rowStarts.slice(1).flatMap((end, row) => new Array<number>(end - rowStarts[row]!).fill(row));
}

/** The values of a tensor at the cells of the targets. Cells that a sparse one does not list are 0. */
function valuesAt(tensor: Tensor, targets: Tensor, cells: number[], refuse: (problem: string) => never): Float32Array {
  const shapeOf = ({ shape }: Tensor) => shape.join(', ');
  if (shapeOf(tensor) !== shapeOf(targets))
    refuse(`has the shape [${shapeOf(tensor)}]; target_tokens has [${shapeOf(targets)}]`);
  const dense = tensor.sparse ? densified(tensor, tensor.sparse) : tensor.values;
  const found = Float32Array.from(cells, (cell) => dense[cell]!);
  if (found.some((value) => !Number.isFinite(value))) refuse('has a value that is not finite');
  return found;
}

function densified({ shape, values }: Tensor, { rowStarts, columns }: NonNullable<Tensor['sparse']>): Float32Array {
  const dense = new Float32Array(shape[0]! * shape[1]!);
  for (const [i, row] of placesOf(rowStarts).entries()) dense[row * shape[1]! + columns[i]!] = values[i]!;
  return dense;
}

/** The ratio of a sequence is over the tokens of the mask: they are one result, the others, without a loss, another. */
function resultsOf({ advantages }: RowTargets, mask: Float32Array | undefined, refuse: Refuse): Int32Array {
  const within = mask ?? advantages!.map((each) => Number(each !== 0));
  if (within.some((each) => each !== 0 && each !== 1)) refuse('loss_fn_inputs.sequence_ratio_mask', 'must be 0 or 1');
  const outside = within.findIndex((each, i) => each === 0 && advantages![i] !== 0);
  if (outside !== -1) {
    refuse('loss_fn_inputs.advantages', `is not 0 at ${outside}, which is outside of sequence_ratio_mask`);
  }
  return Int32Array.from(within, (each) => 1 - each);
}
