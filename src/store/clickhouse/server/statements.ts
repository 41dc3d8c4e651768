import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client';
import { joined } from '../../../util/joined.ts';
import { describeSql, StoreError, toStoreError } from '../store-error.ts';
import { checkTail } from './exception-in-answer.ts';
import type { HostAddress } from './server-url.ts';

/** Sends statements, each once. Failures throw a `StoreError`. */
export type Statements = {
  read(sql: string, format: 'JSONEachRow' | 'RowBinary', more?: More): Promise<Buffer>;
  command(sql: string, more?: More): Promise<void>;
  insert(table: string, lines: Buffer, more?: More): Promise<void>;
  close(): Promise<void>;
};

type More = { settings?: ClickHouseSettings; queryId?: string };

type Options = {
  socketsMax: number;
  /** After this time a statement is given up: longer than the server lets it run. */
  answerMsMax: number;
  /** Sent with each statement. */
  settings?: ClickHouseSettings;
  /** Called with the headers of each answer. What it throws is the error of the statement. */
  onAnswer?(headers: Record<string, unknown>): void;
  /** One connection for each statement. */
  isBrief?: boolean;
};

/** A server drops connections that are idle for 10 s or longer, and proxies may do so earlier. */
const idleSocketMs = 5_000;

/** What the profile of the user may set differently, and answers and inserts depend on. */
const settingsOfAll: ClickHouseSettings = {
  async_insert: 0,
  final: 0,
  join_use_nulls: 0,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  session_timezone: 'UTC',
};

const insertSettings: ClickHouseSettings = {
  /** They are built when parts are merged: for small parts they cost more than they save. */
  materialize_skip_indexes_on_insert: 0,
  input_format_parallel_parsing: 0,
  /** A batch may have calls of any number of months. */
  max_partitions_per_insert_block: '0',
  /** The table of a server that is behind may lack a column. */
  input_format_skip_unknown_fields: 0,
};

export function openStatements(address: HostAddress, options: Options): Statements {
  const client = connect(address, options);
  const { onAnswer } = options;

  async function send<Answer>(statement: string, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof StoreError ? error : toStoreError(error, statement);
    }
  }

  return {
    read: (sql, format, { settings = {}, queryId } = {}) =>
      send(describeSql(sql), async () => {
        const { stream, response_headers: headers } = await client.exec({
          query: `${sql}\nFORMAT ${format}`,
          clickhouse_settings: settings,
          ...(queryId === undefined ? {} : { query_id: queryId }),
        });
        const answer = joined(await stream.toArray());
        checkTail(answer, headers);
        onAnswer?.(headers);
        return answer;
      }),
    command: (sql, { settings = {} } = {}) =>
      send(describeSql(sql), async () => {
        const { response_headers: headers } = await client.command({ query: sql, clickhouse_settings: settings });
        onAnswer?.(headers);
      }),
    insert: (table, lines, { settings = {} } = {}) =>
      send(`INSERT on ${table}`, async () => {
        const { stream, response_headers: headers } = await client.exec({
          query: `INSERT INTO ${table} FORMAT JSONEachRow`,
          values: Readable.from([lines]),
          clickhouse_settings: { ...insertSettings, ...settings },
        });
        await stream.toArray(); // it must be read for the connection to be used again
        onAnswer?.(headers);
      }),
    close: () => client.close(),
  };
}

function connect(
  { origin, user, password, database, rootCertificate }: HostAddress,
  { socketsMax, answerMsMax, settings = {}, isBrief = false }: Options,
): ClickHouseClient {
  const isFar = !isLoopback(new URL(origin).hostname); // on this machine, compressing takes longer than sending
  return createClient({
    url: origin,
    username: user,
    password,
    database,
    application: 'heddle',
    max_open_connections: socketsMax,
    request_timeout: answerMsMax,
    keep_alive: { enabled: !isBrief, idle_socket_ttl: idleSocketMs, eagerly_destroy_stale_sockets: true },
    ...(isFar ? { compression: { request: { codec: 'zstd', level: 1 }, response: { codec: 'zstd' } } } : {}),
    ...(rootCertificate === null ? {} : { tls: { ca_cert: readFileSync(rootCertificate) } }),
    clickhouse_settings: { ...settingsOfAll, ...settings },
    log: { LoggerClass: Quiet },
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Its messages quote statements and what the server says of them. */
class Quiet {
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
}
