import { expect, test } from 'vitest';
import type { Turn } from '../../web/src/api/loops.ts';
import { stepsOf } from '../../web/src/pages/loop/turn-steps.ts';

const turn: Turn = {
  ...{ id: 't', number: 1, phase: 'ended', outcome: null, reason: null, starts_at: '2026-01-01T00:00:00Z' },
  ...{ started_at: '2026-01-01T00:00:00Z', ended_at: null, undone_at: null, undone_by: null, collected: null },
  ...{ incumbent: null, candidate: null, training_job_id: null, gate_id: null, verdict: null },
  ...{ question: null, rollout: null },
};
const asked = { text: '?', approver: 'anyone', asked_at: '2026-01-01T00:00:00Z' };
const question = { ...asked, answer: null, reason: null, answered_by: null, answered_at: null };
const stage = { stage: 1, stages: [0.5], stage_began_at: '2026-01-01T00:00:00Z', counted: null };
const rollout = { policy: 'bot', version_before: 1, version: 2, ...stage };
const tested = { training_job_id: 'j', gate_id: 'g' };

test.each<[name: string, turn: Partial<Turn>, asks: boolean, states: string]>([
  ['waits for its time', { phase: 'waiting', started_at: null }, true, 'open open open open open'],
  ['collects', { phase: 'collecting' }, false, 'now open open skipped open'],
  ['asks', { phase: 'asking', ...tested, question }, true, 'done done done now open'],
  ['rolls out unasked', { phase: 'rolling-out', ...tested, rollout }, false, 'done done done skipped now'],
  ['found too few chats', { outcome: 'nothing-to-train' }, true, 'ended open open open open'],
  ['was rejected', { outcome: 'rejected', ...tested }, true, 'done done ended open open'],
  ['was declined', { outcome: 'declined', ...tested, question }, true, 'done done done ended open'],
  ['was returned', { outcome: 'returned', ...tested, rollout }, false, 'done done done skipped ended'],
  [
    'was promoted',
    { outcome: 'promoted', ...tested, question: { ...question, answer: 'yes' }, rollout },
    true,
    'done done done done done',
  ],
  ['was canceled before it began', { outcome: 'canceled', started_at: null }, true, 'open open open open open'],
])('the phases of a turn that %s', (_, fields, asks, states) => {
  const shown = stepsOf({ ...turn, ...fields }, asks).map(({ state }) => state);
  expect(shown.join(' ')).toBe(states);
});
