import { invalidInput } from '../../util/failures.ts';

/** The name of the model that comes with heddle. */
export const tinyModelName = 'heddle/tiny';

/** Checks the name for a served model. */
export function checkModelName(name: string): string {
  if (name.length > 200 || !/^\w[\w.-]*(\/\w[\w.-]*)?(:[\w.-]+)?$/.test(name)) {
    throw invalidInput(
      `"${name}" cannot name a model. Names are letters, digits and _ . - in one or two parts, such as team/helper; ` +
        'optionally followed by a colon and a variant.',
    );
  }
  if (name.startsWith('heddle/'))
    throw invalidInput(`"${name}": names with heddle/ belong to the models that come with it.`);
  return name;
}
