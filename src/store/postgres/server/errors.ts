import { busy, Failure } from '../../../util/failures.ts';
import { isDiskFull } from '../../disk/disk-full.ts';
import { refusalOf } from '../refusals.ts';

/** The server cannot be used: the message says what was found and what to do. */
export class PostgresServerError extends Error {}

/** Another transaction was in the way: the same one may succeed when it is run again. */
export function isCollision(error: unknown): boolean {
  return collisions.has(codeOf(error));
}

/** What the users of the store get instead of an error of the server or of the connection to it. */
export function explain(error: unknown): unknown {
  if (error instanceof Failure || isCollision(error)) return error;
  if (isLost(error)) return unavailable('PostgreSQL does not respond. Try again in a moment.', error);
  const code = codeOf(error);
  if (overdue.has(code)) return unavailable('PostgreSQL took too long. Try again in a moment.', error);
  if (isDiskFull(error))
    return new Failure('noSpace', 'The disk of the PostgreSQL server is full.', {}, { cause: error });
  if (code.startsWith('53') || failing.has(code)) {
    return unavailable('PostgreSQL lacks memory or other resources. Try again in a moment.', error);
  }
  return refusalOf(error);
}

/** After the last attempt. */
export function explainCollision(error: unknown): unknown {
  return isCollision(error) ? busy('Other requests change the same data. Try again in a moment.', error) : error;
}

/** Whether the connection, or the server behind it, is gone. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return lost.has(code) || code.startsWith('08') || lostMessages.test(error instanceof Error ? error.message : '');
}

export function unavailable(message: string, cause?: unknown): Failure {
  return new Failure('unavailable', message, {}, { cause });
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

/** Serialization failure, deadlock. */
const collisions = new Set(['40001', '40P01']);

/** A statement or a lock that took longer than its limit; a pool without a free connection. */
const overdue = new Set(['57014', '55P03']);

/** Errors of the system below the server: its files and its memory. */
const failing = new Set(['58000', '58030']);

const lost = new Set([
  '25006', // a standby, after a failover
  '25P03', // idle in a transaction for too long
  '28000', // no access any more
  '28P01',
  '3D000',
  '53300', // too many connections
  '57P01', // stopped by its administrator
  '57P02',
  '57P03', // starting
  '57P05',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the socket of a server on this machine
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Errors of the driver have no codes. */
const lostMessages =
  /^Connection terminated|is not queryable|^timeout exceeded when trying to connect|^Query read timeout|^Postgres connection has been discarded/;
