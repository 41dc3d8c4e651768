import { invalidInput } from '../../util/failures.ts';
import type { SupportedModel } from './client/session.ts';

const shownMax = 10;

/** What a server says about a base model; it may train others than it lists. @throws Failure if it does not list the model */
export function supportedModel(
  supported: readonly SupportedModel[],
  { name, onServer, host }: { name: string; onServer: string; host: string },
): SupportedModel {
  const found = supported.find((each) => each.name === onServer);
  if (found) return found;
  if (supported.length === 0) return { name: onServer, contextMax: null };
  const names = supported.slice(0, shownMax).map((each) => each.name);
  const more = supported.length > shownMax ? ` and ${supported.length - shownMax} more` : '';
  throw invalidInput(
    `The Tinker server ${host} does not train ${onServer}. It trains ${names.join(', ')}${more}. ` +
      `If ${name} has another name there, set HEDDLE_TINKER_MODELS=${name}=NAME.`,
  );
}
