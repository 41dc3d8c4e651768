import { stemmer } from 'stemmer';
import { tokensOf13a } from './tokens.ts';

/** A word with its position. */
type Word = { at: number; text: string };
/** Positions of a word in the input and in the reference. */
type Match = { input: number; reference: number };

/** The weight of recall; the strength and the exponent of the penalty for scattered matches. */
const [alpha, gamma, beta] = [0.9, 0.5, 3];

/**
 * METEOR with matches of words and of their stems, as NLTK's `meteor_score` computes it. Synonyms are not matched: they
 * would need WordNet.
 */
export function meteor(input: string, reference: string): number {
  const [found, expected] = [wordsWithPlaces(input), wordsWithPlaces(reference)];
  const total = { found: found.length, expected: expected.length };
  const exact = takeMatches(found, expected);
  const stemmed = takeMatches(stems(exact.found), stems(exact.expected));
  const matches = [...exact.matches, ...stemmed.matches].sort((a, b) => a.input - b.input);
  if (matches.length === 0) return 0;
  const precision = matches.length / total.found;
  const recall = matches.length / total.expected;
  const mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall);
  const penalty = gamma * (chunkCount(matches) / matches.length) ** beta;
  return (1 - penalty) * mean;
}

function wordsWithPlaces(text: string): Word[] {
  return tokensOf13a(text.toLowerCase()).map((word, at) => ({ at, text: word }));
}

function stems(words: Word[]): Word[] {
  return words.map(({ at, text }) => ({ at, text: stemmer(text) }));
}

/** Matches each word, from the last to the first, with the last equal word that is left. */
function takeMatches(found: Word[], expected: Word[]): { matches: Match[]; found: Word[]; expected: Word[] } {
  const places = new Map<string, number[]>();
  for (const { at, text } of expected) {
    const known = places.get(text);
    if (known) known.push(at);
    else places.set(text, [at]);
  }
  const matches: Match[] = [];
  for (const { at, text } of found.toReversed()) {
    const reference = places.get(text)?.pop();
    if (reference !== undefined) matches.push({ input: at, reference });
  }
  const taken = {
    found: new Set(matches.map((each) => each.input)),
    expected: new Set(matches.map((each) => each.reference)),
  };
  return {
    matches,
    found: found.filter(({ at }) => !taken.found.has(at)),
    expected: expected.filter(({ at }) => !taken.expected.has(at)),
  };
}

/** Runs of matches that are adjacent in both texts. */
function chunkCount(matches: Match[]): number {
  return matches.filter((each, i) => {
    const before = matches[i - 1];
    return before === undefined || each.input !== before.input + 1 || each.reference !== before.reference + 1;
  }).length;
}
