import { emojiNames } from './emoji-names.generated.ts';

/** The stored fields of a reaction: its names, and both again without skin tones. */
export type NamedEmoji = { alias: string; detoned: string; detoned_alias: string };

/** The number of emoji in a string. */
export function countEmoji(text: string): number {
  return findEmoji(text).length;
}

/** The string with its emoji as names between colons, `:thumbs_up:`; and the same without skin tones. */
export function nameEmoji(text: string): NamedEmoji {
  const found = findEmoji(text);
  return {
    alias: replaceFound(text, found, ({ name }) => `:${name}:`),
    detoned: replaceFound(text, found, ({ toneless }) => toneless),
    detoned_alias: replaceFound(text, found, ({ tonelessName }) => `:${tonelessName}:`),
  };
}

type FoundEmoji = { start: number; end: number; name: string; toneless: string; tonelessName: string };

/** At each position, the longest sequence that has a name. */
function findEmoji(text: string): FoundEmoji[] {
  const found: FoundEmoji[] = [];
  for (let start = 0; start < text.length; ) {
    const candidate = starts.has(text.codePointAt(start)!) ? longestAt(text, start) : null;
    if (candidate) found.push(candidate);
    start = candidate?.end ?? start + String.fromCodePoint(text.codePointAt(start)!).length;
  }
  return found;
}

/** Code points of the longest sequence, a kiss of two people with skin tones, and of flags such as that of Wales. */
const codePointsMax = 10;

function longestAt(text: string, start: number): FoundEmoji | null {
  const points = [...text.slice(start, start + 2 * codePointsMax)].slice(0, codePointsMax);
  for (let length = points.length; length > 0; length--) {
    const sequence = points.slice(0, length).join('');
    const named = describe(sequence);
    if (named) return { start, end: start + sequence.length, ...named };
  }
  return null;
}

function describe(sequence: string): Pick<FoundEmoji, 'name' | 'toneless' | 'tonelessName'> | null {
  const plain = names.get(keyOf(sequence))?.name;
  if (plain) return { name: plain, toneless: sequence, tonelessName: plain };
  const tones = new Set(sequence.match(tonePattern));
  const toneless = keyOf(sequence.replace(tonePattern, ''));
  const single = names.get(toneless) ?? pairs.get(toneless);
  if (!single || tones.size === 0) return null;
  return {
    name: withTones(single.name, [...tones]),
    toneless: single.emoji,
    tonelessName: names.get(keyOf(single.emoji))!.name,
  };
}

/**
 * A skin tone after an emoji that accepts one; two emoji of version 18 are listed, because the engine's tables may not
 * know them yet.
 */
const tonePattern = /(?<=[\p{Emoji_Modifier_Base}\u{1faf9}\u{1fafa}])\p{Emoji_Modifier}/gu;

/** Tones follow the name, but precede the part of the name about hair. */
function withTones(name: string, tones: string[]): string {
  const said = tones.map((tone) => names.get(tone)!.name).join('_');
  const [, person, hair] = /^(man|woman|person)_((?:red|curly|white|blond)_hair|bald|beard)$/.exec(name) ?? [];
  return hair ? `${person}_${said}_${hair}` : `${name}_${said}`;
}

type Entry = { emoji: string; name: string };

const names = new Map<string, Entry>(
  emojiNames
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [emoji, name] = line.split(' ') as [string, string];
      return [keyOf(emoji), { emoji, name }];
    }),
);

/** The code points that can start an emoji: most strings contain none of them and are skipped. */
const starts = new Set([...names.keys()].map((emoji) => emoji.codePointAt(0)!));

/** Two people with different tones are written as a pair; without tones there is a single emoji for them. */
const pairs = new Map<string, Entry>(
  Object.entries({
    '🧑‍❤‍🧑': { emoji: '💑', name: 'couple_with_heart_person_person' },
    '🧑‍❤‍💋‍🧑': { emoji: '💏', name: 'kiss_person_person' },
    '👩‍🤝‍👨': { emoji: '👫', name: 'woman_and_man_holding_hands' },
    '👩‍🤝‍👩': { emoji: '👭', name: 'women_holding_hands' },
    '👨‍🤝‍👨': { emoji: '👬', name: 'men_holding_hands' },
    '🫱‍🫲': { emoji: '🤝', name: 'handshake' },
    '🧑‍🐰‍🧑': { emoji: '👯', name: 'people_with_bunny_ears' },
    '👨‍🐰‍👨': { emoji: '👯‍♂️', name: 'men_with_bunny_ears' },
    '👩‍🐰‍👩': { emoji: '👯‍♀️', name: 'women_with_bunny_ears' },
    '🧑‍🫯‍🧑': { emoji: '🤼', name: 'people_wrestling' },
    '👨‍🫯‍👨': { emoji: '🤼‍♂️', name: 'men_wrestling' },
    '👩‍🫯‍👩': { emoji: '🤼‍♀️', name: 'women_wrestling' },
  }),
);

/** The variation selector requests a color image: with it or without it, the emoji is the same. */
function keyOf(emoji: string): string {
  return emoji.replaceAll('\u{fe0f}', '');
}

function replaceFound(text: string, found: FoundEmoji[], replace: (emoji: FoundEmoji) => string): string {
  let replaced = '';
  let done = 0;
  for (const emoji of found) {
    replaced += text.slice(done, emoji.start) + replace(emoji);
    done = emoji.end;
  }
  return replaced + text.slice(done);
}
