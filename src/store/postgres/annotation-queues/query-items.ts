import { type RawBuilder, sql } from 'kysely';
import type { QueueItem } from '../../../domain/annotation-queues/item.ts';
import type { ItemsFilter } from '../../../domain/annotation-queues/items-filter.ts';
import type { AnnotationState } from '../../../domain/annotation-queues/progress.ts';
import type { Page } from '../../../domain/query/page.ts';
import type { SortBy } from '../../../domain/query/sort-by.ts';
import { inTexts } from '../objects/version.ts';
import type { Postgres } from '../postgres.ts';
import { itemColumns } from './item.ts';
import { orderSql, pageSql } from './page.ts';

export type ItemsQuery = Page & {
  queueId: string;
  filter: ItemsFilter | null;
  sortBy: SortBy[];
  /** Positions count every item that matches the filter, ignoring its states. */
  withPosition: boolean;
  /** The annotator whose own states are read. */
  annotatorId: string;
};

export type FoundItem = QueueItem & { position: number | null; ownState: AnnotationState };

/** The items of a queue, by default in the order in which they were added. */
export async function queryItems({ db }: Postgres, query: ItemsQuery): Promise<FoundItem[]> {
  const order = orderSql(query.sortBy, sortColumns, [sql`created_at ASC`]);
  const position = query.withPosition ? sql`row_number() OVER (ORDER BY ${order})` : sql`NULL`;
  const { states, ownStates } = query.filter ?? {};
  const { rows } = await sql<FoundItem>`
    SELECT ${itemColumns}, position, own_state AS "ownState"
    FROM (
      SELECT *, ${position} AS position, coalesce((
        SELECT progress.annotation_state FROM ${sql.table('annotation_progress')} AS progress
        WHERE progress.item_id = annotation_queue_items.id AND annotator_id = ${query.annotatorId}
      ), 'unstarted') AS own_state
      FROM ${sql.table('annotation_queue_items')}
      WHERE ${sql.join(conditions(query), sql` AND `)}
    ) AS item
    WHERE ${isOneOf('annotation_state', states)} AND ${isOneOf('own_state', ownStates)}
    ORDER BY ${order} ${pageSql(query)}`.execute(db);
  return rows;
}

function isOneOf(column: string, states: AnnotationState[] | null | undefined): RawBuilder<unknown> {
  return states?.length ? sql`${sql.ref(column)} = ${inTexts(states)}` : sql`TRUE`;
}

const sortColumns = {
  call_started_at: sql`call_started_at`,
  call_op_name: sql`call_op_name`,
  created_at: sql`created_at`,
  updated_at: sql`updated_at`,
};

function conditions({ queueId, filter }: ItemsQuery): RawBuilder<unknown>[] {
  const equal = (column: string, value: string | null | undefined) =>
    value == null ? [] : [sql`${sql.ref(column)} = ${value}`];
  return [
    ...equal('queue_id', queueId),
    ...equal('id', filter?.id),
    ...equal('call_id', filter?.callId),
    ...equal('call_op_name', filter?.opName),
    ...equal('call_trace_id', filter?.traceId),
    ...equal('created_by', filter?.addedBy),
  ];
}
