import { createContext, Script } from 'node:vm';
import { invalidInput } from '../../../util/failures.ts';

/** Far longer than a usual pattern takes, and short for everyone who waits meanwhile. */
const matchMsMax = 20;

/**
 * A regular expression of a client, which matches anywhere in a text. Some expressions take forever for a short text, so
 * each match has a time limit.
 * @throws Failure for a malformed expression; matching throws one if it takes too long
 */
export function timedPattern(source: string, flags: string): (text: string) => boolean {
  const pattern = compile(source, flags);
  const context = createContext(Object.assign(Object.create(null), { pattern, text: '' }));
  const script = new Script('pattern.test(text)');
  return (text) => {
    context.text = text;
    try {
      return script.runInContext(context, { timeout: matchMsMax }) as boolean;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw invalidInput(`The regular expression ${JSON.stringify(source)} takes too long to match.`);
    }
  };
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw invalidInput(`The regular expression ${JSON.stringify(source)} is not valid: ${(error as Error).message}`);
  }
}
