import { expect, test } from 'vitest';
import { readText } from './read-text.ts';
import { RowIndex } from './row-index.ts';

const story =
  'A fox crossed the frozen river at dawn and found a lantern burning beside an empty boat, which nobody had missed since the flood.';
const words = (count: number, seed: number) =>
  Array.from({ length: count }, (_, at) => `w${Math.floor(Math.abs(Math.sin(seed * 100_000 + at)) * 1e6)}`).join(' ');

const matchesIn = (rows: string[][], ...messages: string[]) =>
  new RowIndex(rows.map((each, at) => ({ id: String(at), messages: each }))).matches(messages.map(readText));

test('finds a row whatever its case, punctuation and spaces', () => {
  expect(matchesIn([[story]], ` ${story.toUpperCase().replaceAll(',', ' —')}`)).toEqual([
    { id: '0', kind: 'same', share: 1 },
  ]);
});

test('finds a row that was changed a little', () => {
  const changed = story.replace('frozen', 'icy');
  expect(matchesIn([[words(60, 1)], [`${story} ${words(40, 2)}`]], `${changed} ${words(40, 2)}`)).toMatchObject([
    { id: '1', kind: 'near', share: expect.closeTo(0.91, 2) },
  ]);
  expect(matchesIn([[story]], words(24, 3))).toEqual([]);
});

test('finds a row inside a long chat', () => {
  const chat = [words(3000, 4), `${words(500, 5)} ${story} ${words(500, 6)}`, words(4000, 7)];
  expect(matchesIn([[story], [words(20, 8)]], ...chat)).toEqual([{ id: '0', kind: 'contained', share: 1 }]);
});

test('finds a conversation that goes on, and not its beginning alone', () => {
  const turns = ['Hi there', 'Hello!', 'What is the time?', 'Noon.'];
  expect(matchesIn([turns], ...turns, 'Thanks', 'You are welcome')).toEqual([{ id: '0', kind: 'same', share: 1 }]);
  expect(matchesIn([turns], ...turns.slice(0, 2))).toEqual([]);
});

test('short texts count only if they are equal', () => {
  expect(matchesIn([['What is two plus two?']], 'what is two plus two')).toHaveLength(1);
  expect(matchesIn([['What is two plus two?']], 'What is two plus three?')).toEqual([]);
});

test('ignores what many rows share', () => {
  const prompt = `You are a helpful assistant. ${words(50, 9)}`;
  const rows = Array.from({ length: 100 }, (_, at) => [prompt, `${words(12, 100 + at)}`]);
  expect(matchesIn(rows, prompt, words(12, 99))).toEqual([]);
  expect(matchesIn(rows, prompt, words(12, 107))).toMatchObject([{ id: '7' }]);
  expect(matchesIn(rows, words(12, 107))).toMatchObject([{ id: '7', kind: 'same' }]);
});

test('compares characters where there are no spaces between words', () => {
  const text = '夜明けに一匹の狐が凍った川を渡り、誰もいない舟のそばで燃えている灯りを見つけた。';
  expect(matchesIn([[text]], `前置き。${text}後書き。`)).toMatchObject([{ id: '0' }]);
  expect(matchesIn([[text]], '今日は天気がよいので、公園まで歩いて行き、友だちと昼ごはんを食べました。')).toEqual([]);
});

test('finds nothing for a row without words', () => {
  expect(matchesIn([['…', '']], '!!!')).toEqual([]);
});
