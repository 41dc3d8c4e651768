import { Failure } from '../../../util/failures.ts';

/** A failure of a server without its own class, which only this process knows. Other errors stay as they are. */
export function plainFailure(error: unknown): unknown {
  if (!(error instanceof Failure) || error.constructor === Failure) return error;
  const { kind, message, extra, rule } = error;
  return new Failure(kind, message, extra, { rule });
}

/** @throws a plain failure in the place of a server's */
export async function withPlainFailures<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw plainFailure(error);
  }
}
