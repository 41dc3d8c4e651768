import { describeBucket } from '../store/blobs/s3/s3-url.ts';
import { describeServer as describeClickHouse } from '../store/clickhouse/server/server-url.ts';
import { describeServer as describePostgres } from '../store/postgres/server/server-url.ts';
import type { Kinds } from './kinds.ts';

/** Where a part is, for messages and to compare places: without users and passwords. */
export function placeOf(kind: Kinds[keyof Kinds]): string {
  switch (kind.kind) {
    case 'embedded':
    case 'directory':
      return kind.folder;
    case 's3':
      return describeBucket(kind.address);
    case 'server':
      if ('origins' in kind.address) return describeClickHouse(kind.address);
      return `postgres://${describePostgres(kind.address)}?schema=${kind.address.schema}`;
    default:
      throw kind satisfies never;
  }
}
