import { createHash } from 'node:crypto';

/** The id of the op object for calls of spans with this name. */
export function opIdOf(spanName: string): string {
  const name = spanName.length >= opNameMax ? shortenedOpName(spanName) : spanName;
  const id = name
    .replaceAll(/[ /]/g, '_')
    .replaceAll(/[^\p{L}\p{N}_.-]/gu, '')
    .toLowerCase();
  return id === '' ? 'span' : [...id].slice(0, opNameMax).join('');
}

/** A display name of at most 1024 characters. */
export function shortenedDisplayName(name: string): string {
  return shorten(name, displayNameMax, '...', true).toWellFormed();
}

const opNameMax = 128;
const displayNameMax = 1024;

/** A digest of the whole name is added to keep long names with the same prefix apart. */
function shortenedOpName(name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 4);
  return shorten(name, opNameMax, `:${digest}`, false);
}

/** Cuts at the end of a word, as Weave does, so that a name becomes the same op in both. */
function shorten(name: string, lengthMax: number, ending: string, keepsDelimiter: boolean): string {
  if (name.length <= lengthMax) return name;
  const words = [...name.matchAll(/([,;| /?.]*)([^,;| /?.]*)/g)].filter(([whole]) => whole !== '');
  const room = lengthMax - ending.length;
  const first = words[0]?.[0] ?? '';
  if (words.length <= 1 || first.length > room) return name.slice(0, room) + ending;
  let shortened = first;
  for (const [word, delimiter = ''] of words.slice(1)) {
    const last = keepsDelimiter && !ending.startsWith(delimiter) ? delimiter + ending : ending;
    if (shortened.length + word.length >= lengthMax - last.length) return shortened + last;
    shortened += word;
  }
  return shortened;
}
