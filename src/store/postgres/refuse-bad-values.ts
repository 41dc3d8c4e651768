import type { DatabaseConnection } from 'kysely';
import { invalidInput, notFound } from '../../util/failures.ts';

/**
 * PostgreSQL's error codes for a request's value that can neither be stored nor searched for. Requests are validated
 * earlier; this turns whatever the validation missed into a client error instead of a server error.
 */
const refusals = new Map([
  ['22021', 'A text contains the character U+0000, which cannot be stored or looked for'],
  ['22P05', 'A JSON text contains the character U+0000, which cannot be stored'],
  ['22003', 'A number is beyond what can be stored or looked for'],
  ['22008', 'A date is beyond what can be stored or looked for'],
  ['22009', 'A date is beyond what can be stored or looked for'],
  ['54000', 'A name is too long to be stored'],
]);

/** The row that a new row refers to was deleted after the request had found it. */
const foreignKeyViolation = '23503';

/** Makes the queries of a connection fail with a `Failure` if the request is the cause. */
export function refuseBadValues(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (...query) => {
    try {
      return await execute(...query);
    } catch (error) {
      throw refusalOf(error);
    }
  };
}

/** A `Failure` for an error that the request caused; other errors as they are. */
export function refusalOf(error: unknown): unknown {
  const { code = '' } = error as { code?: string };
  if (code === foreignKeyViolation) return notFound('What the request refers to was deleted in the meantime');
  const reason = refusals.get(code);
  return reason === undefined ? error : invalidInput(reason);
}
