import type { DatabaseConnection } from 'kysely';
import { conflict, type Failure, invalidInput, notFound } from '../../util/failures.ts';

/**
 * The errors of PostgreSQL that a request causes, by their code: values that can neither be stored nor searched for, and
 * rows that were added or deleted after the request had looked. Requests are validated earlier; this turns whatever the
 * validation missed into a client error instead of a server error.
 */
const refusals: Record<string, () => Failure> = {
  '22021': () => invalidInput('A text contains the character U+0000, which cannot be stored or looked for'),
  '22P05': () => invalidInput('A JSON text contains the character U+0000, which cannot be stored'),
  '22003': () => invalidInput('A number is beyond what can be stored or looked for'),
  '22008': () => invalidInput('A date is beyond what can be stored or looked for'),
  '22009': () => invalidInput('A date is beyond what can be stored or looked for'),
  '23503': () => notFound('Something that the request refers to has just been deleted'),
  '23505': () => conflict('Another request has just stored something with the same name. Try again.'),
  '54000': () => invalidInput('A name is too long to be stored'),
};

/** Makes the queries of a connection fail with a `Failure` if the request causes the error. */
export function throwRefusals(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (...query) => {
    try {
      return await execute(...query);
    } catch (error) {
      throw refusalOf(error);
    }
  };
}

/** A `Failure` for an error that a request causes; other errors as they are. */
export function refusalOf(error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  return Object.hasOwn(refusals, code) ? refusals[code]!() : error;
}
