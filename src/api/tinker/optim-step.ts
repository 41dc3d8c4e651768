import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/optim-step.ts';
import type { Handler } from '../../http/bind.ts';
import { invalidInput } from '../../util/failures.ts';
import { digestOfJson } from './digest.ts';

export function tinkerOptimStep({ tinker }: Pick<Context, 'tinker'>): Handler<typeof contract.tinkerOptimStep> {
  return async ({ body, caller }) => {
    const { model_id: id, seq_id: seqId, adam_params: adam, optimizer_params: other } = body;
    if (other) throw invalidInput(`The optimizer ${other.type} is not supported. Send adam_params.`);
    if (!adam) throw invalidInput('adam_params is missing.', { param: 'adam_params' });
    const options = {
      learningRate: adam.learning_rate,
      beta1: adam.beta1,
      beta2: adam.beta2,
      epsilon: adam.eps,
      weightDecay: adam.weight_decay,
      gradientNormMax: adam.grad_clip_norm > 0 ? adam.grad_clip_norm : null,
    };
    const received = { seqId, digest: digestOfJson(body), bytes: 0 };
    return { request_id: tinker.optimStep(caller, id, options, received), model_id: id };
  };
}
