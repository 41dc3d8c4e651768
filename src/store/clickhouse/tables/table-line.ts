import { type DigestList, fromDigestList, toDigestList } from '../../../domain/digest/digest-list.ts';
import { insertLine } from '../rows/insert-line.ts';

export type Table = { projectId: string; digest: string; rowDigests: DigestList; isComplete: boolean };

/** The line of `insertLine` in UTF-8. The list of a million rows makes it 46 MB long. */
export async function tableLine({
  projectId,
  digest,
  rowDigests,
  isComplete,
}: Table): Promise<Uint8Array<ArrayBuffer>> {
  const columns = { project_id: projectId, digest, is_complete: Number(isComplete) };
  const around = insertLine('tables', { row_digests: [], ...columns });
  const place = around.indexOf('[') + 1;
  const start = Buffer.from(around.slice(0, place));
  const end = Buffer.from(around.slice(place));
  const { bytes, ends } = await asInJson(rowDigests);

  const line = new Uint8Array(start.length + bytes.length + Math.max(0, 3 * ends.length - 1) + end.length);
  line.set(start);
  let written = start.length;
  let taken = 0;
  for (let i = 0; i < ends.length; i++) {
    if (i > 0) line[written++] = comma;
    line[written++] = quote;
    while (taken < ends[i]!) line[written++] = bytes[taken++]!;
    line[written++] = quote;
  }
  line.set(end, written);
  return line;
}

/** The list with its digests escaped as in JSON strings. */
async function asInJson(list: DigestList): Promise<DigestList> {
  if (!hasEscapes(list.bytes)) return list;
  const digests = await fromDigestList(list);
  return toDigestList(digests.map((digest) => JSON.stringify(digest).slice(1, -1)));
}

function hasEscapes(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte < space || byte === quote || byte === backslash) return true;
  return false;
}

const [comma, quote, backslash, space] = [0x2c, 0x22, 0x5c, 0x20];
