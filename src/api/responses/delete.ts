import type { Context } from '../../context.ts';
import type * as contract from '../../contract/responses/delete.ts';
import type { Handler } from '../../http/bind.ts';

export function responseDelete({
  services: { responses },
}: Pick<Context, 'services'>): Handler<typeof contract.responseDelete> {
  return async ({ params, caller }) => {
    const stored = await responses.find(caller, params.response_id);
    await responses.delete(stored);
    return { id: stored.id, object: 'response', deleted: true };
  };
}
