import { invalidInput, unacceptable } from '../../util/failures.ts';

const lengthMax = 128;

/** @throws Failure for an empty name, an invalid character, or more than 128 characters. */
export function checkObjectName(name: string): void {
  if (name === '') throw unacceptable('Object name cannot be empty');
  const invalid = [...new Set([...name].filter((character) => !nameCharacter.test(character)))];
  if (invalid.length > 0) {
    throw unacceptable(
      `Invalid object name: ${name}. Contains invalid characters: ${JSON.stringify(invalid)}. ` +
        'Please upgrade your `weave` package, or use letters, digits and _ . - only.',
    );
  }
  const characters = [...name];
  if (characters.length > lengthMax) {
    throw invalidInput(`String too long: ${characters.slice(0, lengthMax).join('')}…. Max length is ${lengthMax}`);
  }
}

/** Python's `\w`, a dot or a hyphen: letters and numbers of every script, but no combining marks. */
const nameCharacter = /^[\p{L}\p{N}_.-]$/u;
