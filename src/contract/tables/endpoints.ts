import { tableCreate } from './create.ts';
import { tableCreateFromDigests } from './create-from-digests.ts';
import { tableQuery } from './query.ts';
import { tableQueryStats } from './query-stats.ts';
import { tableQueryStatsBatch } from './query-stats-batch.ts';
import { tableQueryStream } from './query-stream.ts';
import { tableUpdate } from './update.ts';

/** The endpoints of this group, in the order of the documentation. `api/tables/routes.ts` has a handler for each. */
export const tableEndpoints = {
  tableCreate,
  tableCreateFromDigests,
  tableUpdate,
  tableQuery,
  tableQueryStream,
  tableQueryStats,
  tableQueryStatsBatch,
};
