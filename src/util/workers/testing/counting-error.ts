/** An error with a field, as a worker might throw. */
export class CountingError extends Error {
  readonly count: number;

  constructor(message: string, count: number) {
    super(message);
    this.count = count;
  }
}
