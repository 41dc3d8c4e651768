import { RequestError } from './client.ts';

/**
 * Whether a request failed because the server does not know what it is about. This is often the project: its first write
 * creates it.
 */
export function isMissing(error: unknown): boolean {
  return error instanceof RequestError && error.status === 404;
}

/** An answer, or another value if what was asked for, or its project, does not exist. */
export async function orMissing<Answer, Missing>(answer: Promise<Answer>, missing: Missing): Promise<Answer | Missing> {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return missing;
    throw error;
  }
}
