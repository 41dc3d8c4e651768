import { expect, test } from 'vitest';
import { loopPlan } from '../../src/contract/loops/loop.ts';
import type { LoopPlan } from '../../web/src/api/loops.ts';
import { formOf, planOf } from '../../web/src/features/loop/loop-form.ts';
import { scoreNames } from '../../web/src/features/loop/use-score-names.ts';
import { whereText } from '../../web/src/features/loop/where-text.ts';

const messages_template = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: '{question}' },
  { role: 'assistant', content: 'Hm.' },
];
const plan = {
  chats: { view: 'rated', where: 'op_name~chat' },
  scorer: { reward: 'thumbs', window_seconds: 259200 },
  method: {
    ...{ kind: 'sft', least: 0.5, config: { learning_rate: 1e-4, batch_size: 4 } },
    experimental_config: { epochs: 2, held_out_share: 0.1 },
  },
  ...{ model: 'support', base_model: 'heddle/tiny', suite: 'exam', approver: 'ent', every_hours: 168 },
  gate: {
    ...{ scorers: ['judge', 'contains'], target: { metric: 'judge.helpful', gain: 0.05, better: 'higher' } },
    model_params: { messages_template, temperature: 0, seed: 7 },
    guardrails: [{ metric: 'latency', measure: { kind: 'share_above', limit: 5 }, margin: 0.05 }],
  },
  rollout: {
    ...{ policy: 'bot', stages: [0.01, 0.29, 0.5], units: 200, hours: 24, alpha: 0.01 },
    scorers: [{ reward: 'thumbs', window_seconds: 15, harm: 0.2, missing: 'zero', high: 5 }],
  },
  budget: { rows_least: 50, tokens_most: 2_000_000 },
};

const derived = { message: '{prompt}', base: 'heddle/other' };

test.each<[name: string, plan: object]>([
  ['with all its parts', plan],
  ['with rates by step', { ...plan, method: { kind: 'sft', config: { learning_rate: [1e-3, 1e-4] } } }],
  ['of reinforcement learning', { ...plan, method: { kind: 'rl', experimental_config: { loss_fn: 'ppo' } } }],
  ['that needs no message', { ...plan, gate: { scorers: ['judge'], target: { metric: 'judge', gain: 0.1 } } }],
  ['with one stage for all', { ...plan, rollout: { policy: 'bot', stages: [] } }],
])('a plan %s is the same after the form', (_, written) => {
  const parsed = loopPlan.parse(written);
  const form = formOf('support', parsed as LoopPlan);
  expect(loopPlan.parse(planOf(form, derived, parsed as LoopPlan))).toEqual(withNulls(parsed));
});

/** The form writes a learning rate and epochs even where they are the default. */
function withNulls({ method, ...rest }: ReturnType<typeof loopPlan.parse>) {
  const before = method.experimental_config ?? {};
  if (method.kind === 'rl')
    return { ...rest, method: { ...method, experimental_config: expect.objectContaining(before) } };
  return { ...rest, method: { ...method, experimental_config: expect.objectContaining({ epochs: 1, ...before }) } };
}

test.each<[where: string, text: string | null]>([
  ['op_name~chat', null],
  ['{"filter":{"topmost_calls_only":true},"query":null}', 'all traces'],
  ['{"filter":{},"query":{"$expr":{"$gt":[{"$getField":"inputs.n"},{"$literal":5}]}}}', 'inputs.n>5'],
  [
    '{"$expr":{"$contains":{"input":{"$getField":"op_name"},"substr":{"$literal":"a"},"case_insensitive":true}}}',
    'op_name~a',
  ],
  ['{"filter":{"op_names":["chat"],"trace_roots_only":true}}', 'op_name:chat, of traces only'],
  ['{"filter":{"input_refs":["x"]}}', null],
  ['{"filter"', null],
])('the condition %s in the words of the filter', (where, text) => {
  expect(whereText(where)).toBe(text);
});

test('scores are offered by the names that training knows', () => {
  const feedback = [
    { feedback_type: 'wandb.runnable.judge', payload: { output: { helpful: 0.5, why: 'x', 'a.b': true } } },
    { feedback_type: 'wandb.runnable.correct', payload: { output: false } },
    { feedback_type: 'wandb.annotation.tone', payload: { value: 4 } },
    { feedback_type: 'thumbs', payload: { up: true } },
    { feedback_type: 'thumbs', payload: { up: false } },
    { feedback_type: 'wandb.note.1', payload: { note: 'hm' } },
  ];
  expect(scoreNames(feedback)).toEqual([
    ...['judge.helpful', String.raw`judge.a\.b`, 'correct', 'tone', 'feedback.[thumbs].payload.up'],
  ]);
});
