/**
 * The operations of an objective. An objective is written once and computed in two ways: in the graph, which needs the gradient
 * of the logprobs between its forward and backward pass, and on arrays, for the loss and its metrics. A value has one element
 * for each target token, or is a scalar.
 */
export type Algebra<V> = {
  scalar(value: number): V;
  add(a: V, b: V): V;
  subtract(a: V, b: V): V;
  multiply(a: V, b: V): V;
  exp(a: V): V;
  min(a: V, b: V): V;
  max(a: V, b: V): V;
  /** A condition, for `where`. */
  less(a: V, b: V): V;
  where(condition: V, a: V, b: V): V;
  /** For each target token, the mean over the targets of its result; 0 outside of results. */
  meanOfResult(a: V): V;
};
