import { invalidInput } from '../../util/failures.ts';
import type { Tensor } from '../training-request.ts';

/** @throws Failure for a shape that does not fit the values */
export function checkTensor(tensor: Tensor, field: string): Tensor {
  const { shape, values, sparse } = tensor;
  if (shape.some((size) => !Number.isSafeInteger(size) || size < 0)) {
    throw invalidInput(`${field} has the shape [${shape.join(', ')}].`);
  }
  if (sparse) checkSparse(shape, values.length, sparse, field);
  else if (shape.reduce((all, size) => all * size, 1) !== values.length) {
    throw invalidInput(`${field} has ${values.length} values for the shape [${shape.join(', ')}].`);
  }
  return tensor;
}

/** A dense copy of a sparse matrix is bounded by what a request may bring. */
const cellsMax = 64 * 1024 ** 2;

function checkSparse(
  shape: number[],
  count: number,
  { rowStarts, columns }: NonNullable<Tensor['sparse']>,
  field: string,
): void {
  const [rows = -1, width = 0] = shape;
  const isOrdered = rowStarts.every((start, i) => start >= (i === 0 ? 0 : rowStarts[i - 1]!));
  const fits =
    shape.length === 2 &&
    rows * width <= cellsMax &&
    rowStarts.length === rows + 1 &&
    rowStarts[0] === 0 &&
    rowStarts.at(-1) === count &&
    columns.length === count &&
    isOrdered &&
    columns.every((column) => column >= 0 && column < width);
  if (!fits) throw invalidInput(`${field} is not a sparse matrix of the shape [${shape.join(', ')}].`);
}
