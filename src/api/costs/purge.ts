import type { Context } from '../../context.ts';
import type { costPurge } from '../../contract/costs/purge.ts';
import { purgedIds } from '../../domain/prices/purged-ids.ts';
import { parseQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { removePrices } from '../../store/postgres/prices/remove-prices.ts';

export function purgeCosts({ identity, postgres }: Context): Handler<typeof costPurge> {
  return async ({ body, caller }) => {
    const ids = purgedIds(parseQuery(body.query));
    const projectId = await identity.projectForRead(caller, body.project_id);
    // PostgreSQL takes no NUL in a text, so no price has such an id.
    await removePrices(
      postgres,
      projectId,
      ids.filter((id) => !id.includes('\0')),
    );
    return {};
  };
}
