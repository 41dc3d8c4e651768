import type { DatabaseConnection } from 'kysely';
import { invalidInput } from '../../util/failures.ts';

/**
 * What PostgreSQL says, by its code, when a value of a request can neither be stored nor looked for. Requests are checked
 * before they get here; this makes what the checks missed an error of the client, and not of the server.
 */
const refusals = new Map([
  ['22021', 'A text contains the character U+0000, which cannot be stored or looked for'],
  ['22P05', 'A JSON text contains the character U+0000, which cannot be stored'],
  ['22003', 'A number is beyond what can be stored or looked for'],
  ['22008', 'A date is beyond what can be stored or looked for'],
  ['22009', 'A date is beyond what can be stored or looked for'],
  ['54000', 'A name is too long to be stored'],
]);

/** Lets the queries of a connection fail with an Failure where a value is at fault. */
export function refuseBadValues(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (...query) => {
    try {
      return await execute(...query);
    } catch (error) {
      const reason = refusals.get((error as { code?: string }).code ?? '');
      throw reason === undefined ? error : invalidInput(reason);
    }
  };
}
