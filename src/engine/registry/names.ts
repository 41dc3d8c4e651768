import { invalidInput } from '../../util/failures.ts';

/** The built-in model. */
export const tinyModelName = 'heddle/tiny';

/** Checks the name of a served model. */
export function checkModelName(name: string): string {
  if (name.length > 200 || !/^\w[\w.-]*(\/\w[\w.-]*)?(:[\w.-]+)?$/.test(name)) {
    throw invalidInput(
      `"${name}" cannot name a model. Names are letters, digits and _ . - in one or two parts, such as team/helper; ` +
        'optionally followed by a colon and a variant.',
    );
  }
  if (name.startsWith('heddle/'))
    throw invalidInput(`"${name}": names that start with heddle/ are reserved for built-in models.`);
  return name;
}
