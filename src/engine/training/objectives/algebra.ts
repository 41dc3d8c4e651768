/**
 * The operations that an objective is written in. It is written once and computed twice: by the graph, where the gradient
 * of the logprobs is needed between the forward and the backward pass, and on arrays, for the loss and its metrics. A
 * value has one element for each target token, or is a scalar.
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
  /** The mean over the target tokens of the same result, for each of them; 0 outside of results. */
  meanOfResult(a: V): V;
};
