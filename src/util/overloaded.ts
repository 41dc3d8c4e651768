/** Thrown where as many requests wait already as may. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}
