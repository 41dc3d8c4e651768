import { parseLossless } from '../../util/json/lossless.ts';
import { canonicalJson } from '../digest/canonical-json.ts';
import { textDigest } from '../digest/digest.ts';
import { publishedValuesMax } from '../digest/published-values.ts';

/** A row as stored: the text that was sent. `sizeBytes` is the length of Python's `json.dumps` of the row. */
export type TableRow = { digest: string; text: string; sizeBytes: number };

/** The digest is computed from the row with internal refs; the text is stored as sent, with its key order and refs. */
export function toTableRow(text: string, toInternal: (text: string) => string): TableRow {
  const canonical = canonicalJson(parseLossless(toInternal(text), publishedValuesMax));
  return { digest: textDigest(canonical), text, sizeBytes: canonical.length }; // sorting does not change its length; and it is ASCII
}
