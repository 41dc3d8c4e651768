import { Failure } from '../util/failures.ts';

/**
 * How far a copy of a store is: the tables that are copied and verified, and the position in the next one. It is stored as
 * JSON, so that a copy that was interrupted goes on from there.
 */
export type CopyState = {
  /** The rows of each of these tables. */
  verified: Record<string, number>;
  current: TableState | null;
};

export type TableState = {
  table: string;
  /** The key up to which rows are copied; null before the first. */
  after: Position | null;
  rows: number;
  /** A sum of the hashes of these rows, which does not depend on their order. */
  digest: string;
};

/** The values of a row's key, as text. */
export type Position = string[];

export const newCopy: CopyState = { verified: {}, current: null };

/** What a copy reports to. */
export type CopyWatch = {
  /** Called after each piece, when the target has it. */
  save(state: CopyState): void;
  copied(table: string, rows: number, bytes: number): void;
  /** Called with the number of bytes before they are written. @throws if the target has no room for them */
  requireRoom(bytes: number): void;
};

/** What is in the target differs from the source. */
export class CopyMismatchError extends Failure {
  constructor(table: string, found: string) {
    super(
      'conflict',
      `The copy of ${table} differs from its source: ${found}. The source is unchanged; empty the target and start again.`,
    );
  }
}

/** The state of a table that is copied next: where it was interrupted, or its beginning. */
export function tableState({ current }: CopyState, table: string): TableState {
  return current?.table === table ? current : { table, after: null, rows: 0, digest: '0' };
}

export function withVerified({ verified }: CopyState, { table, rows }: Pick<TableState, 'table' | 'rows'>): CopyState {
  return { verified: { ...verified, [table]: rows }, current: null };
}

const modulus = 2n ** 64n;

/** Adds hashes of 64 bits. */
export function sumDigests(digest: string, hashes: Iterable<string>): string {
  let sum = BigInt(digest);
  for (const hash of hashes) sum += BigInt(hash);
  return String(((sum % modulus) + modulus) % modulus);
}
