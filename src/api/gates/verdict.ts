import type { Context } from '../../context.ts';
import type { gateVerdict as endpoint } from '../../contract/gates/verdict.ts';
import type { Envelope } from '../../domain/gates/envelope.ts';
import type { Handler } from '../../http/bind.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { ownerForRead } from '../project.ts';

export function gateVerdict(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead(context, input);
    const { envelope } = await context.services.gates.envelope(input.params.gate_id, owner);
    return parsePlain(envelope) as Envelope;
  };
}
