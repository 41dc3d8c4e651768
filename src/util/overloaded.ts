/** Thrown if the maximum number of requests is already waiting. */
export class Overloaded extends Error {
  override name = 'Overloaded';
}
