import { expect, test } from 'vitest';
import { BeamSearch, type Candidate, type FinishedBeam } from './beam-search.ts';

const eos = 0;
const vocabulary = 4;
const tokensMax = 4;

test('finds the best of all sequences if the beam is wide enough [chat 167]', () => {
  const width = 300;
  const found = search(width, 1).slice(0, 3);
  const all = everySequence().sort((a, b) => b.score / (5 + b.tokens.length) - a.score / (5 + a.tokens.length));
  expect(found.map((beam) => beam.tokens)).toEqual(all.slice(0, 3).map(({ tokens }) => tokens));
  expect(found[0]!.score).toBeCloseTo(all[0]!.score, 10);
});

test('ranks beams by length_penalty [chat 169]', () => {
  const finished = (lengthPenalty: number) => {
    const search = new BeamSearch({
      width: 1,
      lengthPenalty,
      promptLength: 1,
      eosId: eos,
      ignoreEos: false,
      includesStop: false,
    });
    search.step([
      [
        { id: eos, logprob: -1 },
        { id: 1, logprob: -0.6 },
      ],
    ]);
    search.step([[{ id: 2, logprob: -0.6 }]]);
    search.step([[{ id: 3, logprob: -0.1 }]]);
    return search.results()[0]!;
  };
  expect(finished(0)).toMatchObject({ tokens: [], finishReason: 'stop', stopReason: eos });
  expect(finished(2)).toMatchObject({ tokens: [1, 2, 3], finishReason: 'length', stopReason: null });
});

test('keeps or ignores the end-of-text token as requested', () => {
  const rules = { width: 1, lengthPenalty: 1, promptLength: 1, eosId: eos, ignoreEos: false, includesStop: true };
  const kept = new BeamSearch(rules);
  kept.step([[{ id: eos, logprob: -1 }]]);
  expect(kept.results()[0]!.tokens).toEqual([eos]);
  const ignored = new BeamSearch({ ...rules, ignoreEos: true });
  ignored.step([[{ id: eos, logprob: -1 }]]);
  expect(ignored.results()[0]).toMatchObject({ tokens: [eos], finishReason: 'length' });
});

function search(width: number, lengthPenalty: number): FinishedBeam[] {
  const rules = { width, lengthPenalty, promptLength: 5, eosId: eos, ignoreEos: false, includesStop: false };
  const beams = new BeamSearch(rules);
  for (let step = 0; step < tokensMax; step++) beams.step(beams.live.map(({ tokens }) => candidatesAfter(tokens)));
  return beams.results();
}

/** An artificial model: candidates depend on the last token and the position. */
function candidatesAfter(tokens: readonly number[]): Candidate[] {
  const weights = Array.from({ length: vocabulary }, (_, id) =>
    Math.exp(Math.sin(7 * id + 3 * (tokens.at(-1) ?? 1) + 5 * tokens.length)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight, id) => ({ id, logprob: Math.log(weight / total) }));
}

function everySequence(): { tokens: number[]; score: number }[] {
  const done: { tokens: number[]; score: number }[] = [];
  const extend = (tokens: number[], score: number) => {
    if (tokens.length === tokensMax) return void done.push({ tokens, score });
    for (const { id, logprob } of candidatesAfter(tokens)) {
      if (id === eos) done.push({ tokens, score: score + logprob });
      else extend([...tokens, id], score + logprob);
    }
  };
  extend([], 0);
  return done;
}
