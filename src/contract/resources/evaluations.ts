import { z } from 'zod';
import { int, optional, optionalJsonObject } from '../wire.ts';
import { described, resource } from './resource.ts';

const common = { evaluation_name: optional(z.string()) };
const op = () => optional(z.string());

export const evaluations = resource('evaluations', {
  noun: 'Evaluation',
  body: {
    ...described,
    dataset: z.string(),
    scorers: optional(z.array(z.string())),
    trials: int().default(1),
    ...common,
    eval_attributes: optionalJsonObject(),
  },
  created: { evaluation_ref: z.string() },
  read: {
    ...described,
    dataset: z.string(),
    scorers: z.array(z.string()),
    trials: int(),
    ...common,
    evaluate_op: op(),
    predict_and_score_op: op(),
    summarize_op: op(),
  },
});
