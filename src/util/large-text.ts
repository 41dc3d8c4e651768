/** From this size on, texts would hold up every other request: another thread works on them. */
const largeCharactersMin = 256 * 1024;
/** From this number on, so would short texts. */
const manyMin = 5000;

/** Whether these texts together are large. */
export function isLarge(...texts: (string | null | undefined)[]): boolean {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) >= largeCharactersMin;
}

/** Whether the texts of these items are few, and small together. */
export function areSmall<Item>(items: readonly Item[], textOf: (item: Item) => string): boolean {
  if (items.length >= manyMin) return false;
  return items.reduce((sum, item) => sum + textOf(item).length, 0) < largeCharactersMin;
}

/** Splits a list into pieces, each of which ends as soon as its texts are large or many. */
export function* inPieces<Item>(items: readonly Item[], textOf: (item: Item) => string): Generator<Item[]> {
  let start = 0;
  let characters = 0;
  for (let i = 0; i < items.length; i++) {
    characters += textOf(items[i]!).length;
    if (characters < largeCharactersMin && i + 1 - start < manyMin) continue;
    yield items.slice(start, i + 1);
    [start, characters] = [i + 1, 0];
  }
  if (start < items.length) yield items.slice(start);
}
