import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/responses/read.ts';
import type { Handler } from '../../http/bind.ts';

export function responseRead({
  services: { responses },
}: Pick<Context, 'services'>): Handler<typeof contract.responseRead> {
  return async ({ params, query, caller }) => {
    if (query.stream) {
      throw new ApiError(400, 'A stored response is not streamed. Leave stream out.', { param: 'stream' });
    }
    return (await responses.find(caller, params.response_id)).body;
  };
}
