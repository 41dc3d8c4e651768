import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/forward.ts';
import type { Handler } from '../../http/bind.ts';
import { digestOf } from '../../tinker/tinker.ts';
import { readPass } from './read-pass.ts';

type Deps = Pick<Context, 'tinker'>;

/** What a request takes in memory: its body, and its values as numbers. */
const copies = 3;

export function tinkerForwardBackward(context: Deps): Handler<typeof contract.tinkerForwardBackward> {
  return async ({ body, caller, raw }) => {
    const request = readPass(body, raw.headers['content-type'] ?? '');
    const received = { seqId: request.seqId, digest: digestOf(body), bytes: copies * body.length };
    return { request_id: context.tinker.pass(caller, request, received), model_id: request.modelId };
  };
}

/** In JSON, a forward pass has a path of its own. */
export function tinkerForward(context: Deps): Handler<typeof contract.tinkerForward> {
  return async ({ body, caller, raw }) => {
    const request = { ...readPass(body, raw.headers['content-type'] ?? ''), isForwardOnly: true };
    const received = { seqId: request.seqId, digest: digestOf(body), bytes: copies * body.length };
    return { request_id: context.tinker.pass(caller, request, received), model_id: request.modelId };
  };
}
