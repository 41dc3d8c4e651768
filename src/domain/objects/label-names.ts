import { invalidInput } from '../../util/failures.ts';

const aliasLengthMax = 128;
const tagLengthMax = 256;

/** @throws Failure for an alias that is too long, empty, reserved, or contains a character that refs use. */
export function checkAliases(aliases: string[]): void {
  for (const alias of aliases) {
    const refuse = (rule: string) => invalidInput(`alias name ${rule}, found ${shown(alias)}`);
    if ([...alias].length > aliasLengthMax) throw refuse(`must have ${aliasLengthMax} characters or fewer`);
    if (alias.trim() === '') throw refuse('must not be empty or white space alone');
    if (/[/:\0]/.test(alias)) throw refuse("must not contain '/', ':' or U+0000");
    if (alias === 'latest') throw refuse('must not be the reserved word latest: it follows what is published');
    if (/^v\p{Nd}+$/u.test(alias)) throw refuse("must not be 'v' and a number, which names a version");
  }
}

/** @throws Failure for a tag that is too long or does not consist of words separated by single spaces. */
export function checkTags(tags: string[]): void {
  for (const tag of tags) {
    const refuse = (rule: string) => invalidInput(`tag name ${rule}, found ${shown(tag)}`);
    const { length } = [...tag];
    if (length === 0 || length > tagLengthMax) throw refuse(`must have 1 to ${tagLengthMax} characters`);
    if (!words.test(tag)) throw refuse('must be letters, digits, _ and -, with single spaces between words');
  }
}

/** Python's `\w` and hyphens, in words with one space between them. */
const words = /^[\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+)*$/u;

function shown(name: string): string {
  return JSON.stringify(name.length > 150 ? `${name.slice(0, 150)}…` : name);
}
