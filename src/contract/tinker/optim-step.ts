import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { float, optional, text } from '../wire.ts';
import { id, promised, seqId, tinker } from './shared.ts';

export const tinkerOptimStep = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/optim_step',
  name: 'Make Tinker Optimizer Step',
  description: 'One step of AdamW with the gradients since the last one.',
  body: z.object({
    model_id: id,
    seq_id: seqId,
    adam_params: optional(
      z.object({
        learning_rate: float().default(1e-4),
        beta1: float().default(0.9),
        beta2: float().default(0.95),
        eps: float().default(1e-12),
        weight_decay: float().default(0),
        /** 0: gradients are not clipped. */
        grad_clip_norm: float().default(0),
      }),
    ),
    optimizer_params: optional(z.looseObject({ type: text() })),
  }),
  answer: promised,
});
