import type { LosslessJson } from '../../util/json/lossless.ts';
import { bytesOf } from './bytes.ts';
import type { Media } from './conversation.ts';
import { mediaFrom, mediaOf } from './media.ts';

/** Media in a payload, and where it is: `['inputs', 'photo']`. */
export type PlacedMedia = { path: (string | number)[]; media: Media };

/** One payload can have thousands of pictures, more than readers look at. */
const foundMax = 50;

/** Pictures, sounds and files whose content is anywhere in a payload. Addresses alone are ordinary text. */
export function mediaIn(value: LosslessJson, root: string): PlacedMedia[] {
  const found: PlacedMedia[] = [];
  const visit = (each: LosslessJson, path: (string | number)[]): void => {
    if (found.length >= foundMax) return;
    const media = contentOf(each, path.at(-1));
    if (media) found.push({ path, media });
    else if (Array.isArray(each)) for (const [index, element] of each.entries()) visit(element, [...path, index]);
    else if (each instanceof Map) for (const [key, member] of each) visit(member, [...path, key]);
  };
  visit(value, [root]);
  return found;
}

/** Short texts are no pictures, and most lists of numbers are not bytes: only what is recognised as a file counts. */
function contentOf(value: LosslessJson, key: string | number | undefined): Media | null {
  if (typeof value === 'string') {
    const isContent = value.length >= lengthMin && (value.startsWith('data:') || /^(?:b['"]|[\w+/-]{32})/.test(value));
    const media = isContent ? mediaFrom(value, unknown) : null;
    return media?.mimeType ? media : null;
  }
  if (value instanceof Map && value.get('_type') === 'CustomWeaveType') return mediaOf(value, null);
  const isBytes = (Array.isArray(value) && value.length >= lengthMin) || (value instanceof Map && key !== 'data');
  if (!isBytes || bytesOf(value) === null) return null;
  const media = mediaFrom(value, unknown);
  return media?.mimeType ? media : null;
}

const lengthMin = 32;
const unknown = { kind: null, mimeType: null, name: null };
