import type { Context } from '../../context.ts';
import type { callsHoldOut as endpoint } from '../../contract/suites/hold-out.ts';
import { parseOptionalQuery } from '../../domain/query/parse-query.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerOf } from '../../services/owner.ts';

export function callsHoldOut({ identity, services }: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ body, caller }) => {
    const owner = await ownerOf({ identity }, caller, body.project_id, 'write');
    const { name, filter, limit, held_out_share: heldOutShare, seed } = body;
    const wanted = { name, filter, query: parseOptionalQuery(body.query), limit, heldOutShare, seed };
    const { dataset, heldOut, training, skipped, trainingCallIds } = await services.holdOut(wanted, owner);
    return { dataset, held_out: heldOut, training, skipped, training_call_ids: trainingCallIds };
  };
}
