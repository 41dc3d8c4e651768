import { expect, test } from 'vitest';
import { describeSftPreview, type SftPreview } from './sft-preview.ts';

const preview: SftPreview = {
  ...{ model: 'ent/p/agent', base: 'heddle/tiny', step: 3, calls: null, conversations: 1200, heldOut: 120, tooLong: 2 },
  ...{ tokens: { trained: 5000, masked: 9000 }, steps: 540, batchSize: 2, epochs: 1, learningRate: 5e-4 },
  suites: { rows: 0, overlaps: [] },
  groups: { training: 1, heldOut: 1 },
  warnings: ['2 conversations are skipped.'],
  examples: [
    [
      { text: 'Hi', isTrained: false },
      { text: 'Hello', isTrained: true },
    ],
  ],
};

test('shows trained text in brackets if the output has no colors', () => {
  expect(describeSftPreview(preview, {})).toBe(`model         ent/p/agent over heddle/tiny, from step 3
conversations 1,200, 120 held out, 2 too long
tokens        5,000 trained, 9,000 masked (prompts and context)
steps         540 of 2 conversations, learning rate 0.0005
warning       2 conversations are skipped.

Hi⟦Hello⟧
`);
});

test('shows trained text in green if the output has colors', () => {
  const shown = describeSftPreview(preview, { hasColors: () => true });
  expect(shown).toContain('\u001b[2mHi\u001b[22m\u001b[32m\u001b[1mHello');
  expect(shown).toMatch(/Trained tokens.+ are green\.\n$/);
});

test('shortens long text and shows why calls are skipped', () => {
  const calls = { matched: 3, read: 2, skipped: [{ reason: 'it failed', count: 1 }] };
  const examples = [[{ text: `a${'.'.repeat(2000)}z`, isTrained: true }]];
  const shown = describeSftPreview({ ...preview, calls, epochs: 3, examples }, {});
  expect(shown).toContain(
    'calls         3 match, of which the newest 2 are read\n              1 skipped: it failed\n',
  );
  expect(shown).toContain(' in 3 epochs,');
  expect(shown).toMatch(/\n⟦a\.{299} … \.{299}z⟧\n$/);
});
