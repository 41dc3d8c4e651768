import type { Context } from '../../context.ts';
import type * as contract from '../../contract/lineage/verify.ts';
import { verificationJson } from '../../domain/lineage/verification-json.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function lineageVerify(context: Context): Handler<typeof contract.lineageVerify> {
  return async (input) => {
    const { body, whenHungUp } = input;
    const owner = await ownerForRead(context, input);
    const which = body.call_ids === null ? { last: body.last! } : { callIds: body.call_ids };
    const verified = context.services.lineages.verify({ ...owner, which, model: body.model, signal: whenHungUp() });
    return (async function* lines() {
      for await (const each of verified) yield `${JSON.stringify(verificationJson(each))}\n`;
    })();
  };
}
