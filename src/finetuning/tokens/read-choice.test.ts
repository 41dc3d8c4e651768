import { expect, test } from 'vitest';
import { readChoice, UntrainableChoiceError, type Vocabulary } from './read-choice.ts';

const tokens = ['a', 'b', 'ab', '<end>', 'ü'];
const vocabulary: Vocabulary = {
  size: tokens.length,
  idOfBytes: (bytes) => {
    const id = tokens.indexOf(Buffer.from(bytes).toString());
    return id === -1 ? undefined : id;
  },
  idOfToken: (token) => {
    const id = tokens.indexOf(token);
    return id === -1 ? undefined : id;
  },
};
const entry = (token: string, logprob: number | null, bytes: number[] | null = null) => ({
  token,
  logprob,
  bytes,
  top_logprobs: [],
});
const choiceOf = (content: unknown[], more: object = {}) => ({
  index: 0,
  finish_reason: 'stop',
  message: { role: 'assistant', content: 'ab', tool_calls: null, refusal: null },
  logprobs: { content, refusal: null },
  ...more,
});

test('uses token_ids if there is one logprob for each [training 68]', () => {
  const content = [entry('x', -1), entry('y', -2)];
  const { sampled, promptIds } = readChoice(
    choiceOf(content, { token_ids: [2, 3], prompt_token_ids: [0, 1] }),
    vocabulary,
  );
  expect(sampled).toEqual({ ids: [2, 3], logprobs: [-1, -2], isExact: true });
  expect(promptIds).toEqual([0, 1]);
});

test('rejects a choice whose token_ids and logprobs differ in number [training 70]', () => {
  const choice = choiceOf([entry('ab', -1), entry('<end>', -2)], { token_ids: [2] });
  expect(() => readChoice(choice, vocabulary)).toThrow('it has 1 token ids and 2 logprobs');
});

test('does not take token_ids beyond the vocabulary', () => {
  const content = [entry('ab', -1), entry('<end>', -2)];
  for (const ids of [[2, 99], [2, -1], 'no list', [2, 1.5]]) {
    expect(readChoice(choiceOf(content, { token_ids: ids }), vocabulary).sampled).toEqual({
      ids: [2, 3],
      logprobs: [-1, -2],
      isExact: false,
    });
  }
});

test('reads ids from tokens of the form token_id:<id>', () => {
  const { sampled } = readChoice(choiceOf([entry('token_id:3', -1), entry('token_id:0', -2)]), vocabulary);
  expect(sampled).toEqual({ ids: [3, 0], logprobs: [-1, -2], isExact: true });
});

test('looks a token up by its bytes, then by its string [training 69]', () => {
  const bytes = [...Buffer.from('ü')];
  const { sampled } = readChoice(choiceOf([entry('?', -1, bytes), entry('ab', -2, [1, 2])]), vocabulary);
  expect(sampled).toMatchObject({ ids: [4, 2], isExact: false });
});

test('rejects a token that the vocabulary does not have, instead of training on another one', () => {
  expect(() => readChoice(choiceOf([entry('nothing like it', -1)]), vocabulary)).toThrow(UntrainableChoiceError);
});

test('is context only without logprobs; an empty list is trainable but has no tokens [training 67]', () => {
  expect(readChoice(choiceOf([], { logprobs: null }), vocabulary).sampled).toBeNull();
  expect(readChoice(choiceOf([]), vocabulary).sampled).toEqual({ ids: [], logprobs: [], isExact: true });
});

test('uses the tokens of a refusal if there is no content', () => {
  const logprobs = { content: null, refusal: [entry('a', -1)] };
  expect(readChoice(choiceOf([], { logprobs }), vocabulary).sampled).toMatchObject({ ids: [0] });
});

test('a logprob that is not a number is unknown', () => {
  expect(readChoice(choiceOf([entry('a', null)]), vocabulary).sampled!.logprobs).toEqual([Number.NaN]);
});
