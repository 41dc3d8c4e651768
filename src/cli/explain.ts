import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { ApiError } from '../contract/errors.ts';
import { S3UnusableError } from '../store/blobs/s3/open.ts';
import { ClickHouseServerError } from '../store/clickhouse/server/errors.ts';
import { DataDirectoryError } from '../store/data-directory.ts';
import { LocationDatabaseError } from '../store/locations/locations.ts';
import { StoreTooNewError } from '../store/migrations.ts';
import { PostgresServerError } from '../store/postgres/server/errors.ts';
import { describeDamage, StoreUnusableError } from '../store/store-unusable.ts';
import { Failure } from '../util/failures.ts';

const expected = [
  ApiError,
  ConfigError,
  DataDirectoryError,
  Failure,
  LocationDatabaseError,
  ClickHouseServerError,
  PostgresServerError,
  S3UnusableError,
  StoreTooNewError,
  StoreUnusableError,
];

/** Why the server cannot listen, by the code of Node's error. */
const listenProblems: Record<string, (error: ListenError) => string> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port} is in use by another program. Stop it, or choose another port with --port or HEDDLE_PORT.`,
  EADDRNOTAVAIL: ({ address }) =>
    `This machine does not have the address ${address}. Choose another with --host or HEDDLE_HOST.`,
  ENOTFOUND: ({ hostname }) => `The host ${hostname} is unknown. Choose another with --host or HEDDLE_HOST.`,
  EACCES: ({ port }) => `This user may not listen on port ${port}. Choose one from 1024 up with --port or HEDDLE_PORT.`,
};

type ListenError = NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string };

/** Says what went wrong and returns the exit code: 2 for how it was asked, 1 for what was found. */
export function explain(error: Error): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has said it
  const { code, syscall } = (error ?? {}) as ListenError;
  const isExpected = expected.some((kind) => error instanceof kind);
  const problem = syscall === 'listen' || syscall === 'getaddrinfo' ? listenProblems[code ?? '']?.(error) : undefined;
  // Not everything that is thrown has a stack: the engines inside the process throw what they like.
  const unexpected = error?.stack ?? error?.message ?? `an unknown error: ${String(error)}`;
  const damage = describeDamage(error);
  process.stderr.write(`heddle: ${problem ?? damage ?? (isExpected ? error.message : unexpected)}\n`);
  return error instanceof ConfigError ? 2 : 1;
}
