import type { Context } from '../../context.ts';
import { tableEndpoints } from '../../contract/tables/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { tableCreate } from './create.ts';
import { tableCreateFromDigests } from './create-from-digests.ts';
import { tableQuery } from './query.ts';
import { tableQueryStats } from './query-stats.ts';
import { tableQueryStatsBatch } from './query-stats-batch.ts';
import { tableQueryStream } from './query-stream.ts';
import { tableUpdate } from './update.ts';

export function tableRoutes(context: Context): Route[] {
  return routesOf(tableEndpoints, {
    tableCreate: tableCreate(context),
    tableCreateFromDigests: tableCreateFromDigests(context),
    tableUpdate: tableUpdate(context),
    tableQuery: tableQuery(context),
    tableQueryStream: tableQueryStream(context),
    tableQueryStats: tableQueryStats(context),
    tableQueryStatsBatch: tableQueryStatsBatch(context),
  });
}
