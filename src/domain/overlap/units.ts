/** Scripts that put no spaces between words: each character is a unit, so that runs of units are n-grams of characters. */
const spaceless = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const unit = new RegExp(String.raw`[${spaceless}]\p{M}*|[[\p{L}\p{N}\p{M}]--[${spaceless}]]+`, 'gv');

/**
 * The words of a text, as far as copies share them: without case, punctuation and the width of characters. Each is a hash of 32 bits.
 */
export function unitsOf(text: string): Uint32Array {
  const found = text.normalize('NFKC').toLowerCase().match(unit) ?? [];
  return Uint32Array.from(found, hashOfWord);
}

/** FNV-1a over the code units, finished by `mix`. */
function hashOfWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return mix(hash);
}

/** The finalizer of MurmurHash3: each bit of the result depends on all bits of the value. */
export function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The hash of each run of `length` units, in the order of the text; none if there are fewer. */
export function runsOf(units: Uint32Array, length: number): Uint32Array {
  const runs = new Uint32Array(Math.max(0, units.length - length + 1));
  for (let at = 0; at < runs.length; at++) {
    let hash = length;
    for (let next = 0; next < length; next++) hash = mix(Math.imul(hash, 31) + units[at + next]!);
    runs[at] = hash;
  }
  return runs;
}

/** A set of hashes, sorted. */
export function setOf(hashes: Uint32Array): Uint32Array {
  const sorted = hashes.slice().sort();
  let size = 0;
  for (let at = 0; at < sorted.length; at++)
    if (at === 0 || sorted[at] !== sorted[at - 1]) sorted[size++] = sorted[at]!;
  return sorted.slice(0, size);
}

/** How many hashes two sets share. */
export function sharedBy(a: Uint32Array, b: Uint32Array): number {
  let [shared, i, j] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const [left, right] = [a[i]!, b[j]!];
    if (left === right) shared++;
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return shared;
}

export function concatenated(arrays: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}
