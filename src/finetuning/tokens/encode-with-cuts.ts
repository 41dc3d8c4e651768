import type { Tokenizer } from '../../chat/tokenizer/tokenizer.ts';

/** The ids of a text, and of each cut how many ids are before it. */
export type CutIds = { ids: number[]; places: number[] };

/**
 * Tokenizes a text so that no token goes across a cut: the text up to a cut has the ids that it has as a prompt. Where
 * no token does so by itself, these are the ids of the whole text.
 * @param cuts places in the text, in ascending order
 */
export function encodeWithCuts(tokenizer: Tokenizer, text: string, cuts: readonly number[]): CutIds {
  const ids = tokenizer.encode(text);
  const placeOf = placesIn(tokenizer, text, ids);
  const places = cuts.map(placeOf);
  const unclean = places.indexOf(null);
  if (unclean === -1) return { ids, places: places as number[] };
  const cut = cuts[unclean]!;
  const left = encodeWithCuts(tokenizer, text.slice(0, cut), cuts.slice(0, unclean));
  const right = encodeWithCuts(
    tokenizer,
    text.slice(cut),
    cuts.slice(unclean).map((each) => each - cut),
  );
  const before = left.ids.length;
  return {
    ids: [...left.ids, ...right.ids],
    places: [...left.places, ...right.places.map((place) => before + place)],
  };
}

/** Finds how many ids are before a place of the text; null where the text up to there has other ids. */
function placesIn(tokenizer: Tokenizer, text: string, ids: readonly number[]): (cut: number) => number | null {
  const bytes = Buffer.from(text.toWellFormed());
  const ends = [0];
  for (const id of ids) ends.push(ends.at(-1)! + tokenizer.bytesOf(id).length);
  const isHead = (head: number[], from: number) => head.every((id, i) => ids[from + i] === id);
  // The tokenizer changes the text, as with a space before the first word.
  if (ends.at(-1) !== bytes.length) {
    return (cut) => {
      const head = tokenizer.encode(text.slice(0, cut));
      return isHead(head, 0) ? head.length : null;
    };
  }
  const placeOfEnd = new Map(ends.map((end, place) => [end, place]));
  return (cut) => {
    const cutBytes = byteLength(text.slice(0, cut));
    const place = placeOfEnd.get(cutBytes);
    if (place === undefined) return null;
    // Text before an added token, such as the start of a message, does not affect the text after it.
    const from = ids.findLastIndex((id, index) => index < place && tokenizer.addedIds.has(id)) + 1;
    const tail = tokenizer.encode(bytes.toString('utf8', ends[from], cutBytes));
    return from + tail.length === place && isHead(tail, from) ? place : null;
  };
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
