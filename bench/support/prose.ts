import { type Random, randomFrom } from './random.ts';

/** Text of a given length whose words are as unevenly common as in a natural language. */
export function prose(random: Random, lengthMin: number): string {
  let text = '';
  while (text.length < lengthMin) text += sentence(random);
  return text.slice(0, -1);
}

function sentence(random: Random): string {
  const words = Array.from({ length: 5 + random.below(12) }, () => word(random));
  const [first, ...rest] = words;
  return `${first![0]!.toUpperCase()}${[first!.slice(1), ...rest].join(' ')}${random.pick(endings)}`;
}

const endings = ['. ', '. ', '. ', '? ', ': ', '.\n', ', "so". '];

/** By Zipf's law: the rank is drawn evenly on a logarithmic scale. */
function word(random: Random): string {
  if (random.below(200) === 0) return String(random.below(1_000_000));
  return vocabulary[Math.floor(vocabulary.length ** random.fraction()) - 1]!;
}

const vocabulary = makeVocabulary(30_000);

function makeVocabulary(size: number): string[] {
  const random = randomFrom(1);
  const syllables = [...'bcdfghklmnprstvw'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel));
  const words = new Set(['the', 'of', 'to', 'and', 'a', 'in', 'is', 'it', 'naïve', 'café', 'über']);
  while (words.size < size) {
    const length = 1 + random.below(4);
    words.add(Array.from({ length }, () => random.pick(syllables)).join('') + random.pick(['', 'n', 's', 'r', 't']));
  }
  return [...words];
}
