import { parseLossless } from '../../util/json/lossless.ts';
import { canonicalJson } from '../digest/canonical-json.ts';
import { textDigest } from '../digest/digest.ts';
import { publishedValuesMax } from '../digest/published-values.ts';

/** A row as it is stored: the text that was sent. `sizeBytes` is what Python's `json.dumps` of the row measures. */
export type TableRow = { digest: string; text: string; sizeBytes: number };

/** The digest is that of the row with internal refs; the text is kept as sent, order of keys and refs included. */
export function toTableRow(text: string, toInternal: (text: string) => string): TableRow {
  const canonical = canonicalJson(parseLossless(toInternal(text), publishedValuesMax));
  return { digest: textDigest(canonical), text, sizeBytes: canonical.length }; // sorted or not, it is as long; and ASCII
}
