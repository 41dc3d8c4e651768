import { parseLines } from '../rows/parse-lines.ts';
import { StoreError } from '../store-error.ts';
import { ClickHouseServerError } from './errors.ts';
import type { HostAddress } from './server-url.ts';
import { openStatements } from './statements.ts';

/** More than one connection, because a balancer chooses a server for each. */
const connections = 8;

/**
 * Asks for the name of the server behind an address.
 * @throws ClickHouseServerError if there are several: each would show its own rows
 */
export async function nameOfHost(address: HostAddress, answerMsMax: number): Promise<string> {
  const statements = openStatements(address, { socketsMax: connections, answerMsMax, isBrief: true });
  try {
    const asked = Array.from({ length: connections }, async () => {
      const [row] = await parseLines<{ name: string }>(
        await statements.read('SELECT hostName() AS name', 'JSONEachRow'),
      );
      return row!.name;
    });
    const names = [...new Set(await Promise.all(asked))];
    if (names.length === 1) return names[0]!;
    throw new ClickHouseServerError(
      `it leads to several servers (${names.sort().join(', ')}), and each would show its own rows. Name the servers themselves, with ` +
        'commas in between',
    );
  } finally {
    await statements.close();
  }
}

/** Throws once another server answers than before. Each answer has the name of its server. */
export function openIdentity(): (headers: Record<string, unknown>) => void {
  let known: string | null = null;
  return (headers) => {
    const name = headers['x-clickhouse-server-display-name'];
    if (typeof name !== 'string') return; // a proxy may drop it
    known ??= name;
    if (name !== known) throw new StoreError('a statement', null, anotherServer);
  };
}

/** The name of the error of an answer that came from another server. */
export const anotherServer = 'ANOTHER_SERVER';
