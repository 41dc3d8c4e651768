import type { Context } from '../../context.ts';
import type * as contract from '../../contract/lineage/query.ts';
import { lineageJson } from '../../domain/lineage/lineage-json.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function lineageQuery(context: Context): Handler<typeof contract.lineageQuery> {
  return async (input) => {
    const { call_id: callId, checkpoint_id: checkpointId, limit, after } = input.body;
    const owner = await ownerForRead(context, input);
    const of = callId === null ? { checkpointId: checkpointId! } : { callId };
    return lineageJson(await context.services.lineages.trace({ ...owner, of, limit, after }));
  };
}
