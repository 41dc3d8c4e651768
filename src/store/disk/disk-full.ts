import { Failure } from '../../util/failures.ts';
import { StoreError } from '../clickhouse/store-error.ts';

/** A write was rejected, or failed, for lack of space. */
export class DiskFullError extends Failure {
  constructor(reason: string, cause?: unknown) {
    super('noSpace', reason, {}, { cause });
  }
}

/** Whether a full disk is the cause of an error: of a file, of ClickHouse or of PostgreSQL. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof StoreError && error.exceeds === 'disk space') return true;
  const { code } = error as { code?: string | number };
  if (codes.has(String(code)) || words.test(error.message)) return true;
  return isDiskFull(error.cause);
}

/** The codes of Node, PostgreSQL (`disk_full`) and ClickHouse (`NOT_ENOUGH_SPACE`). */
const codes = new Set(['ENOSPC', 'EDQUOT', '53100', '243']);
const words = /No space left on device|Disk quota exceeded|\bNOT_ENOUGH_SPACE\b/;
