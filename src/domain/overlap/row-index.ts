import { type Frequent, findFrequent } from './frequent.ts';
import { bandKeys } from './min-hash.ts';
import { type Postings, PostingsBuilder } from './postings.ts';
import { joined, type ReadText, readText, runUnits } from './read-text.ts';
import { runsOf, sharedBy } from './units.ts';
import { winnow } from './winnow.ts';

/** A row of a suite or of training data: the texts of its messages in their order. */
export type Row = { id: string; messages: readonly string[] };

export type Match = {
  /** Of the indexed row. */
  id: string;
  /**
   * `same`: its messages are there, word for word. `near`: one of its messages, or all of them together, are nearly the same. `contained`:
   * most of one of its messages is there.
   */
  kind: 'same' | 'near' | 'contained';
  /** 1 if all is the same: the Jaccard similarity of nearly equal texts, or the part of the message that is there. */
  share: number;
};

/** From this share of common shingles on, texts count as copies. */
const shareMin = 0.8;
/** With fewer rare shingles, which eight words have, only equal texts count. */
const shinglesMin = 6;
/** A run of words is in one message of a row, and in all of them together. */
const entriesOfRow = 2;
/** Texts that share eight words in a row share a fingerprint. */
const window = 4;

/** A message of an indexed row, or all of its messages together. */
type Entry = { row: number; rare: Uint32Array };

/** Finds copies of indexed rows in other rows, such as those of a suite in training data. */
export class RowIndex {
  readonly #ids: string[];
  readonly #frequent: Frequent;
  readonly #entries: Entry[] = [];
  readonly #bands: Postings;
  readonly #fingerprints: Postings;
  /** The digests of the messages of each row that not many rows share. */
  readonly #digests: string[][];
  /** Rows by the digest of the message that the fewest rows have, with its place. */
  readonly #anchors = new Map<string, { row: number; at: number }[]>();

  constructor(rows: readonly Row[]) {
    this.#ids = rows.map(({ id }) => id);
    const texts = rows.map(({ messages }) => messages.map(readText));
    this.#frequent = findFrequent(texts);
    const [bands, fingerprints] = [new PostingsBuilder(), new PostingsBuilder()];
    for (const [row, read] of texts.entries()) {
      for (const text of entryTexts(read)) {
        const rare = this.#frequent.rareOf(text);
        if (rare.length < shinglesMin) continue;
        const entry = this.#entries.push({ row, rare }) - 1;
        bands.add(bandKeys(rare), entry);
        fingerprints.add(fingerprintsOf(text), entry);
      }
    }
    this.#bands = bands.end();
    this.#fingerprints = fingerprints.end(entriesOfRow * this.#frequent.rowsMax);
    this.#digests = texts.map((read) => this.#significant(read));
    this.#anchor();
  }

  /** The indexed rows of which this one has a copy, each once with the strongest match. */
  matches(read: readonly ReadText[]): Match[] {
    const found = new Map<number, Match>();
    for (const row of this.#sameRows(read)) this.#note(found, row, 'same', 1);
    const texts = entryTexts(read);
    for (const text of texts) this.#noteNear(found, text);
    this.#noteContained(found, texts.at(-1)!);
    return [...found.values()];
  }

  *#sameRows(read: readonly ReadText[]): Generator<number> {
    const digests = this.#significant(read);
    for (const [place, digest] of digests.entries()) {
      for (const { row, at } of this.#anchors.get(digest) ?? []) {
        const wanted = this.#digests[row]!;
        if (wanted.every((each, index) => digests[place - at + index] === each)) yield row;
      }
    }
  }

  #noteNear(found: Map<number, Match>, text: ReadText): void {
    const rare = this.#frequent.rareOf(text);
    if (rare.length < shinglesMin) return;
    const candidates = new Set<number>();
    for (const key of bandKeys(rare)) for (const entry of this.#bands.itemsOf(key)) candidates.add(entry);
    for (const candidate of candidates) {
      const { row, rare: other } = this.#entries[candidate]!;
      const shared = sharedBy(rare, other);
      this.#note(found, row, 'near', shared / (rare.length + other.length - shared));
    }
  }

  #noteContained(found: Map<number, Match>, whole: ReadText): void {
    const candidates = new Set<number>();
    for (const key of fingerprintsOf(whole)) {
      for (const entry of this.#fingerprints.itemsOf(key)) candidates.add(entry);
    }
    for (const candidate of candidates) {
      const { row, rare } = this.#entries[candidate]!;
      this.#note(found, row, 'contained', sharedBy(rare, whole.shingles) / rare.length);
    }
  }

  #note(found: Map<number, Match>, row: number, kind: Match['kind'], share: number): void {
    const known = found.get(row);
    if (share < shareMin || (known && (kind === 'contained' || share <= known.share))) return;
    found.set(row, { id: this.#ids[row]!, kind, share }); // what is nearly equal is also contained
  }

  /** The digests of the messages that not many rows share; of all if there are no others. */
  #significant(read: readonly ReadText[]): string[] {
    const texts = read.filter(({ units }) => units.length > 0);
    const own = texts.filter((text) => !this.#frequent.isText(text));
    return (own.length > 0 ? own : texts).map(({ digest }) => digest);
  }

  #anchor(): void {
    const counts = new Map<string, number>();
    for (const digest of this.#digests.flat()) counts.set(digest, (counts.get(digest) ?? 0) + 1);
    for (const [row, digests] of this.#digests.entries()) {
      if (digests.length === 0) continue;
      const least = Math.min(...digests.map((digest) => counts.get(digest)!));
      const at = digests.findIndex((digest) => counts.get(digest) === least);
      const known = this.#anchors.get(digests[at]!);
      if (known) known.push({ row, at });
      else this.#anchors.set(digests[at]!, [{ row, at }]);
    }
  }
}

/** Each message, and all of them together last. */
function entryTexts(read: readonly ReadText[]): ReadText[] {
  return read.length === 1 ? [...read] : [...read, joined(read)];
}

function fingerprintsOf({ units }: ReadText): Uint32Array {
  return winnow(runsOf(units, runUnits), window);
}
