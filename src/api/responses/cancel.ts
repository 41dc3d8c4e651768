import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/responses/cancel.ts';
import type { Handler } from '../../http/bind.ts';

export function responseCancel({
  services: { responses },
}: Pick<Context, 'services'>): Handler<typeof contract.responseCancel> {
  return async ({ params, caller }) => {
    const stored = await responses.find(caller, params.response_id);
    if (!stored.body.background) {
      const message =
        'Only responses that were created with background can be cancelled. Close the connection of others.';
      throw new ApiError(400, message, { param: 'response_id' });
    }
    await responses.cancel(stored);
    return (await responses.find(caller, stored.id)).body;
  };
}
