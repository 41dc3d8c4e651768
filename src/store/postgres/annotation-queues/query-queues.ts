import { type SqlBool, sql } from 'kysely';
import type { AnnotationQueue } from '../../../domain/annotation-queues/queue.ts';
import type { Page } from '../../../domain/query/page.ts';
import type { SortBy } from '../../../domain/query/sort-by.ts';
import type { Postgres } from '../postgres.ts';
import { orderSql, pageSql } from './page.ts';
import { queueColumns } from './queue.ts';

export type QueuesQuery = Page & { projectId: string; name: string | null; sortBy: SortBy[] };

/** The queues of a project that are not deleted, by default the newest first. */
export function queryQueues({ db }: Postgres, query: QueuesQuery): Promise<AnnotationQueue[]> {
  const { projectId, name, sortBy } = query;
  const live = db
    .selectFrom('annotation_queues')
    .select(queueColumns)
    .where('project_id', '=', projectId)
    .where('deleted_at', 'is', null);
  const named = name === null ? live : live.where(sql<SqlBool>`strpos(lower(name), lower(${name})) > 0`);
  return named
    .orderBy(orderSql(sortBy, sortColumns, [sql`created_at DESC`]))
    .modifyEnd(pageSql(query))
    .execute();
}

const sortColumns = {
  id: sql`id`,
  name: sql`name`,
  created_at: sql`created_at`,
  updated_at: sql`updated_at`,
};
