import { beforeAll, expect, test } from 'vitest';
import { openServedText, type ServedText } from '../../chat/tokenizer/served-text.ts';
import { rlConfig } from '../../contract/training-jobs/rl-config.ts';
import { rlSettings } from '../../domain/training/rl-settings.ts';
import { tinyModel } from '../../engine/registry/tiny-model.ts';
import { openRendering } from '../tokens/rendering.ts';
import { RlPreparation, type RlTrajectory } from './prepare-rl.ts';

let text: ServedText;
beforeAll(async () => {
  text = await openServedText((await tinyModel()).path);
});

const question = [{ role: 'user', content: 'yes or no?' }];

/** An answer as the chat endpoint gives it, with or without the keys that keep its tokens exact. */
function choice(content: string, { exact = true, promptIds }: { exact?: boolean; promptIds?: number[] } = {}) {
  const ids = [...text.tokenizer.encode(content), text.eosId!];
  const entries = ids.map((id, i) => ({
    token: text.tokenizer.decode([id]),
    bytes: [...text.tokenizer.bytesOf(id)],
    logprob: -0.5 - i,
    top_logprobs: [],
  }));
  return {
    index: 0,
    finish_reason: 'stop',
    message: { role: 'assistant', content },
    logprobs: { content: entries, refusal: null },
    ...(exact ? { token_ids: ids } : {}),
    ...(promptIds ? { prompt_token_ids: promptIds } : {}),
  };
}

function prepare(groups: RlTrajectory[][], config: object = {}) {
  const { settings } = rlSettings(rlConfig.parse(config));
  const preparation = new RlPreparation({
    decode: (ids) => text.tokenizer.decode(ids),
    rollouts: { stepsMax: 2, perStepMax: 2 },
    settings,
    contextLength: 1024,
    rendering: openRendering(text, new Date()),
    seed: 7n,
  });
  for (const trajectories of groups) preparation.add({ trajectories, exceptions: 0 });
  return preparation.finish();
}

const attempt = (answer: object, reward: number): RlTrajectory => ({
  messages_and_choices: [...question, answer],
  reward,
});

test('the tokens are the prompt and the sampled ids, and only the sampled ids are trained', () => {
  const answers = [choice('yes'), choice('no')];
  const { rows, report } = prepare([[attempt(answers[0]!, 1), attempt(answers[1]!, 0)]]);
  const prompt = openRendering(text, new Date()).promptIds(question as never, null);
  const { tokens, targets } = rows[0]!.row;
  const ends = answers.map((answer) => [prompt.at(-1)!, ...answer.token_ids!].join());
  expect([...tokens].join()).toBe([...prompt.slice(0, -1)].join().concat(',', trainedOrder(targets.tokens, ends)));
  expect([...targets.tokens].sort()).toEqual(answers.flatMap((answer) => answer.token_ids!).sort());
  expect(report.counts).toEqual({ exact: report.trainedTokens, reconstructed: 0, promptsReconstructed: 2 });
});

/** The ends of the answers, in the order in which they were packed. */
function trainedOrder(trained: Int32Array, ends: string[]): string {
  const isFirst = ends[0]!.endsWith([...trained].slice(0, 2).join());
  return (isFirst ? ends : ends.toReversed()).join();
}

test('finds the same tokens by their bytes if there are no ids', () => {
  const exact = prepare([[attempt(choice('yes'), 1), attempt(choice('no'), 0)]]);
  const found = prepare([[attempt(choice('yes', { exact: false }), 1), attempt(choice('no', { exact: false }), 0)]]);
  expect(found.rows).toEqual(exact.rows);
  expect(found.report.counts).toMatchObject({ exact: 0, reconstructed: exact.report.trainedTokens });
});

test('prompt ids that the client kept are used as they are', () => {
  const promptIds = [5, 6, 7];
  const { rows, report } = prepare([
    [attempt(choice('yes', { promptIds }), 1), attempt(choice('no', { promptIds }), 0)],
  ]);
  expect([...rows[0]!.row.tokens.slice(0, 3)]).toEqual(promptIds);
  expect(report.counts.promptsReconstructed).toBe(0);
});

test('an answer that follows an image is not trained on, although its tokens are known', () => {
  const seen = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,a' } }] };
  const about = (answer: object, reward: number) => ({
    messages_and_choices: [seen, answer, ...question, answer],
    reward,
  });
  const promptIds = [5, 6, 7];
  const { report, warnings } = prepare([
    [about(choice('yes', { promptIds }), 1), about(choice('no', { promptIds }), 0)],
  ]);
  expect(report.trainedTokens).toBe(0);
  expect(warnings).toContainEqual(
    'A choice was skipped: it follows images or other parts that are not text (4 times).',
  );
});

test('the next turn continues a sequence if its prompt starts with it, and otherwise starts a new one [training 71]', () => {
  const first = choice('yes', { promptIds: [5] });
  const next = choice('no', { promptIds: [5, ...first.token_ids!, 9] });
  const other = choice('no', { promptIds: [8] });
  const talk = (second: object): RlTrajectory => ({ messages_and_choices: [first, ...question, second], reward: 1 });
  const lost = attempt(choice('no', { promptIds: [5] }), 0);
  const segments = (trajectory: RlTrajectory) => {
    const { rows } = prepare([[trajectory, lost]]);
    return rows[0]!.results;
  };
  expect(segments(talk(next))).toBe(2);
  expect(segments(talk(other))).toBe(3);
});

test('skips groups with equal rewards and trajectories with the mean reward [training 76]', () => {
  const { rows, report } = prepare([[attempt(choice('yes'), 1), attempt(choice('no'), 1)]]);
  expect(rows).toEqual([]);
  expect(report).toMatchObject({ groups: 1, trainableGroups: 0, trajectories: 2, rewardMean: 1 });
});

test('drops a choice with an unknown token, with a warning', () => {
  const broken = choice('yes', { exact: false });
  Object.assign(broken.logprobs.content[0]!, { token: 'no such token', bytes: null });
  const { rows, warnings } = prepare([[attempt(broken, 1), attempt(choice('no'), 0)]]);
  expect(rows[0]!.results).toBe(1);
  expect(warnings).toEqual(['A choice was skipped: the vocabulary has no token "no such token".']);
});

test('drops a sequence longer than the row, with a warning', () => {
  const long = choice('yes '.repeat(400), { promptIds: [5] });
  const short = choice('no', { promptIds: [5] });
  const { rows, warnings } = prepare([[attempt(long, 1), attempt(short, 0)]], { packed_sequence_length: 64 });
  expect(rows.map(({ results }) => results)).toEqual([1]);
  expect(warnings).toEqual(['A trajectory was skipped: it has more than 64 tokens.']);
});

test('additional histories are tokenized on their own, and share the reward and the weight [training 72]', () => {
  const alone = (content: string) => ({ messages_and_choices: [choice(content, { promptIds: [5] })] });
  const won = { ...alone('yes'), additional_histories: [alone('maybe')], reward: 1 };
  const { rows } = prepare([[won, { ...alone('no'), reward: 0 }]]);
  const [{ row, results }] = rows as [(typeof rows)[number]];
  expect(results).toBe(3);
  const { tokens, advantages, weights } = row.targets;
  const totals = (isWon: boolean) =>
    weights!.reduce((sum, weight, i) => sum + (advantages![i]! > 0 === isWon ? weight : 0), 0);
  expect(text.tokenizer.decode([...tokens])).toContain('maybe');
  expect(totals(true)).toBeCloseTo(totals(false), 5);
});

test('a tool schema without a type is a function [training 73]', () => {
  const { promptIds } = openRendering(text, new Date());
  const schema = { name: 'look', parameters: { type: 'object', properties: { place: { type: 'string' } } } };
  const wrapped = promptIds(question as never, [{ type: 'function', function: schema }]);
  expect(promptIds(question as never, [schema])).toEqual(wrapped);
  expect(wrapped).not.toEqual(promptIds(question as never, null));
});

test('trains assistant messages without logprobs if allowed [training 67]', () => {
  const trajectory = (reward: number, content: string): RlTrajectory => ({
    messages_and_choices: [...question, { role: 'assistant', content }],
    reward,
  });
  const groups = [[trajectory(1, 'yes'), trajectory(0, 'no')]];
  expect(prepare(groups).rows).toEqual([]);
  const { rows } = prepare(groups, { allow_training_without_logprobs: true });
  const { targets } = rows[0]!.row;
  expect(text.tokenizer.decode([...targets.tokens])).toContain('yes');
  expect(targets.oldLogprobs!.every(Number.isNaN)).toBe(true);
});

test('preparing a job twice gives the same result', () => {
  const groups = Array.from({ length: 8 }, () => [attempt(choice('yes'), 1), attempt(choice('no'), 0)]);
  const config = { packed_sequence_length: 64 };
  expect(prepare(groups, config)).toEqual(prepare(groups, config));
});

test('a choice sampled with filters is trained, with a warning [training 74]', () => {
  const filtered = { ...choice('yes'), sampling: { top_p: 0.9, temperature: 0.7 } };
  const { rows, warnings } = prepare([[attempt(filtered, 1), attempt(choice('no'), 0)]]);
  expect(rows[0]!.results).toBe(2);
  expect(warnings).toEqual([expect.stringContaining('top_p=0.9, temperature=0.7')]);
});
