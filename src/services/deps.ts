import type { Identity } from '../identity/identity.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { BatchedInserter } from '../store/clickhouse/batched-inserter.ts';
import type { BackgroundCallWriter } from '../store/clickhouse/calls/write/background-writer.ts';
import type { CallWriter } from '../store/clickhouse/calls/write/call-writer.ts';
import type { ClickHouse } from '../store/clickhouse/clickhouse.ts';
import type { Postgres } from '../store/postgres/postgres.ts';

/** What services are built on: each takes the part of it that it needs. `context.ts` opens them all. */
export type Deps = {
  clickhouse: ClickHouse;
  postgres: Postgres;
  blobs: Blobs;
  inserter: BatchedInserter;
  calls: CallWriter;
  laterCalls: BackgroundCallWriter;
  identity: Identity;
};
