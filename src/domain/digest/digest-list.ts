import { openTurn } from '../../util/turns.ts';

/**
 * Row digests in a compact form that can be transferred to another thread without copying: their UTF-8, concatenated, and
 * the offset at which each ends.
 */
export type DigestList = { bytes: Uint8Array<ArrayBuffer>; ends: Uint32Array<ArrayBuffer> };

/** The buffers to transfer with a list to another thread. */
export function buffersOf({ bytes, ends }: DigestList): ArrayBuffer[] {
  return [bytes.buffer, ends.buffer];
}

/** Packs digests, yielding between turns. Lone surrogates become U+FFFD. */
export async function toDigestList(digests: readonly string[]): Promise<DigestList> {
  const ends = new Uint32Array(digests.length);
  const pieces: Buffer[] = [];
  const turn = openTurn();
  let end = 0;
  for (let start = 0; start < digests.length; start += digestsInPiece) {
    if (turn.isOver()) await turn.next();
    const piece = digests.slice(start, start + digestsInPiece);
    const joined = piece.join('');
    const isAscii = Buffer.byteLength(joined) === joined.length;
    for (let i = 0; i < piece.length; i++) {
      end += isAscii ? piece[i]!.length : Buffer.byteLength(piece[i]!);
      ends[start + i] = end;
    }
    pieces.push(isAscii ? Buffer.from(joined) : Buffer.concat(piece.map((digest) => Buffer.from(digest))));
  }
  const bytes = new Uint8Array(end);
  let written = 0;
  for (const piece of pieces) {
    if (turn.isOver()) await turn.next();
    bytes.set(piece, written);
    written += piece.length;
  }
  return { bytes, ends };
}

/** Unpacks the digests of a list, yielding between turns. */
export async function fromDigestList({ bytes, ends }: DigestList): Promise<string[]> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const digests: string[] = [];
  const turn = openTurn();
  let start = 0;
  for (const end of ends) {
    if (digests.length % digestsInPiece === 0 && turn.isOver()) await turn.next();
    digests.push(text.toString('utf8', start, end));
    start = end;
  }
  return digests;
}

/** The first list followed by the second. */
export function concatDigestLists(first: DigestList, second: DigestList): DigestList {
  const bytes = new Uint8Array(first.bytes.length + second.bytes.length);
  bytes.set(first.bytes);
  bytes.set(second.bytes, first.bytes.length);
  const ends = new Uint32Array(first.ends.length + second.ends.length);
  ends.set(first.ends);
  ends.set(
    second.ends.map((end) => end + first.bytes.length),
    first.ends.length,
  );
  return { bytes, ends };
}

/** The digests at these indexes of a list, in this order. */
export function pickDigests({ bytes, ends }: DigestList, places: ArrayLike<number>): DigestList {
  const startOf = (place: number) => (place === 0 ? 0 : ends[place - 1]!);
  const pickedEnds = new Uint32Array(places.length);
  let length = 0;
  for (let i = 0; i < places.length; i++) {
    const place = places[i]!;
    length += ends[place]! - startOf(place);
    pickedEnds[i] = length;
  }
  const picked = new Uint8Array(length);
  let written = 0;
  for (let i = 0; i < places.length; ) {
    const first = i;
    while (i < places.length && places[i] === places[first]! + i - first) i++; // copy consecutive digests at once
    picked.set(bytes.subarray(startOf(places[first]!), ends[places[i - 1]!]!), written);
    written = pickedEnds[i - 1]!;
  }
  return { bytes: picked, ends: pickedEnds };
}

const digestsInPiece = 1000;
