import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const tokenizerFile = join(import.meta.dirname, '../../assets/tiny-model/tokenizer.json');

/** The tokens of the tiny model that are nothing but space, as a list: biased away, it cannot go on with spaces alone. */
export function spaceIds(): string {
  const { model } = JSON.parse(readFileSync(tokenizerFile, 'utf8')) as { model: { vocab: Record<string, number> } };
  const spaces = Object.entries(model.vocab).filter(([token]) => /^[ĠĊĉč]+$/.test(token));
  return spaces.map(([, id]) => id).join(',');
}
