import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/tinker/future.ts';
import type { Handler } from '../../http/bind.ts';

type Deps = Pick<Context, 'tinker'>;

/** Clients wait 45 s for the answer. */
const waitMsMax = 25_000;

export function tinkerFutureRetrieve({ tinker }: Deps): Handler<typeof contract.tinkerFutureRetrieve> {
  return async ({ body, caller, raw, whenHungUp }) => {
    const { request_id: id } = body;
    const outcome = await tinker.retrieve(caller, id, waitMsMax, whenHungUp());
    switch (outcome.kind) {
      case 'pending':
        throw new ApiError(408, 'The request is still under way. Ask again.', {
          ...{ type: 'try_again', request_id: id, queue_state: 'active' },
        });
      case 'gone':
        throw new ApiError(410, `There is no result of the request ${id}: it is not known, or was forgotten.`);
      case 'failed':
        return json({ error: outcome.error, category: outcome.category });
      case 'done': {
        const { protobuf, json: written } = outcome.result;
        const isWanted = /protobuf/i.test(raw.headers.accept ?? '');
        return protobuf && isWanted ? { mediaType: 'application/x-protobuf', body: protobuf } : json(written());
      }
      default:
        return outcome satisfies never;
    }
  };
}

export function tinkerFutureCancel({ tinker }: Deps): Handler<typeof contract.tinkerFutureCancel> {
  return async ({ body, caller }) => {
    tinker.cancel(caller, body.request_id);
    return {};
  };
}

function json(value: unknown) {
  return { mediaType: 'application/json', body: JSON.stringify(value) };
}
