import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/responses/input-items.ts';
import type { Handler } from '../../http/bind.ts';

const limitMax = 100;

export function responseInputItems({
  services: { responses },
}: Pick<Context, 'services'>): Handler<typeof contract.responseInputItems> {
  return async ({ params, query: { after, limit, order }, caller }) => {
    if (limit < 1 || limit > limitMax) {
      throw new ApiError(400, `limit must be from 1 to ${limitMax}, got ${limit}.`, { param: 'limit' });
    }
    const items = await responses.input(caller, await responses.find(caller, params.response_id));
    const ordered = order === 'asc' ? items : items.reverse();
    const first = after === undefined ? 0 : 1 + ordered.findIndex(({ id }) => id === after);
    if (after !== undefined && first === 0) {
      throw new ApiError(400, `after names no item of this response.`, { param: 'after' });
    }
    const data = ordered.slice(first, first + limit) as { id: string; type: string }[];
    const [firstId, lastId] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
    return { object: 'list', data, first_id: firstId, last_id: lastId, has_more: first + limit < ordered.length };
  };
}
