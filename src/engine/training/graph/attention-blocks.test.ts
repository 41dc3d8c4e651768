import { expect, test } from 'vitest';
import { objectiveOf } from '../objectives/losses.ts';
import { normOf } from '../optimizer/adam.ts';
import { rowOfSequence } from '../row.ts';
import { openForTest, someLora } from '../testing/models.ts';
import { trainRows } from '../testing/train-rows.ts';
import { blockSizes } from './attention-blocks.ts';

test('blocks cover a sequence, and each attends to keys up to its own end', () => {
  expect(blockSizes(130)).toEqual({ sizes: [32, 32, 32, 34], ends: [32, 64, 96, 130] });
  expect(blockSizes(127)).toEqual({ sizes: [0, 0, 0, 127], ends: [0, 0, 0, 127] });
});

test.each(['llama', 'qwen2-window', 'qwen3'])(
  'a line of %s learns the same in several blocks as in one',
  async (name) => {
    const session = await openForTest(name);
    const lora = someLora(session);
    const tokens = (length: number) => Int32Array.from({ length }, (_, i) => (i * i * 5 + 3 * i) % 48);
    /** The learned tokens are at the start, so later tokens have no effect. */
    const train = async (length: number) => {
      const rows = [rowOfSequence(tokens(length), (i) => i < 120)];
      return trainRows(session, lora, rows, objectiveOf({ name: 'cross_entropy' }, rows));
    };
    const [one, several] = [await train(120), await train(203)];
    const furthest = one.scores[0]!.logprobs.map((each, i) => Math.abs(each - several.scores[0]!.logprobs[i]!)).reduce(
      (a, b) => Math.max(a, b),
    );
    expect(furthest).toBeLessThan(1e-5);
    const apart = one.gradients.map((each, i) => each - several.gradients[i]!);
    expect(normOf(apart) / normOf(one.gradients)).toBeLessThan(1e-5);
  },
);
