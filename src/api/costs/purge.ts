import type { Context } from '../../context.ts';
import type * as contract from '../../contract/costs/purge.ts';
import { badRequest } from '../../contract/errors.ts';
import { namedIds } from '../../domain/query/named-ids.ts';
import { parseQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';

export function costPurge({ identity, services: { costs } }: Context): Handler<typeof contract.costPurge> {
  return async ({ body, caller }) => {
    const ids = namedIds(parseQuery(body.query), { takesIn: true });
    if (ids === null) throw badRequest('Can only purge costs by specifying one or more cost ids');
    const projectId = await identity.projectForRead(caller, body.project_id);
    await costs.remove(projectId, ids);
    return {};
  };
}
