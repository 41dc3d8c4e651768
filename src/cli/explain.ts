import { CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { ApiError } from '../contract/errors.ts';
import { DataDirectoryError } from '../store/data-directory.ts';
import { LocationDatabaseError } from '../store/locations/locations.ts';
import { StoreTooNewError } from '../store/migrations.ts';
import { describeDamage, StoreUnusableError } from '../store/store-unusable.ts';
import { Failure } from '../util/failures.ts';

const expected = [
  ApiError,
  ConfigError,
  DataDirectoryError,
  Failure,
  LocationDatabaseError,
  StoreTooNewError,
  StoreUnusableError,
];

const listenProblems: Record<string, string> = {
  EADDRINUSE: 'Another program listens on this port. Stop it, or give another with --port or HEDDLE_PORT.',
  EADDRNOTAVAIL: 'This machine does not have the address to listen on. Give another with --host or HEDDLE_HOST.',
  ENOTFOUND: 'The address to listen on is unknown. Give another with --host or HEDDLE_HOST.',
  EACCES: 'This user may not listen on this port. Give one from 1024 on with --port or HEDDLE_PORT.',
};

/** Says what went wrong and returns the exit code: 2 for how it was asked, 1 for what was found. */
export function explain(error: Error): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // commander has said it
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const isExpected = expected.some((kind) => error instanceof kind);
  const problem = syscall === 'listen' || syscall === 'getaddrinfo' ? listenProblems[code ?? ''] : undefined;
  // Not everything that is thrown has a stack: the engines inside the process throw what they like.
  const unexpected = error?.stack ?? error?.message ?? `an unknown error: ${String(error)}`;
  const damage = describeDamage(error);
  process.stderr.write(`heddle: ${problem ?? damage ?? (isExpected ? error.message : unexpected)}\n`);
  return error instanceof ConfigError ? 2 : 1;
}
