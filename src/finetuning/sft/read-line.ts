import { invalidInput } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { type KeepTree, parseJson, parsePlain } from '../../util/json/parse.ts';
import { replaceLoneSurrogates } from '../../util/json/well-formed.ts';

/**
 * Parses a line of data. Arguments of tool calls and parameters of tools become JSON text, as in requests, so that
 * templates show their numbers as they were written.
 * @throws Failure with a description of the problem
 */
export function parseLine(text: string): unknown {
  if (replaceLoneSurrogates(text) !== text) {
    throw invalidInput('it has half of a surrogate pair, such as \\ud83d without \\ude00', { param: 'messages' });
  }
  if (text.trimStart().startsWith('[')) {
    throw invalidInput('it begins a JSON list: write each element of the list on a line of its own', {
      param: 'messages',
    });
  }
  try {
    return asText(parseJson(text, { keep: keptInLine, isStrict: true, hasUniqueKeys: true }));
  } catch (error) {
    const hint = /\r/.test(text) ? ' It has carriage returns: end lines with a line feed' : '';
    throw invalidInput(`it is not JSON: ${(error as Error).message}${hint}`, { param: 'messages' });
  }
}

const keptInMessage: KeepTree = { tool_calls: { '*': { function: { arguments: true } } } };
const keptInMessages: KeepTree = { '*': { ...keptInMessage, message: keptInMessage } };
const keptInPrompt: KeepTree = {
  messages: keptInMessages,
  tools: { '*': { parameters: true, function: { parameters: true } } },
};
const keptInLine: KeepTree = {
  ...keptInPrompt,
  messages_and_choices: keptInMessages,
  input: keptInPrompt,
  preferred_output: keptInMessages,
  non_preferred_output: keptInMessages,
};

/** Objects that were kept become their text, strings what they say. */
function asText(value: unknown): unknown {
  if (value instanceof JsonText) return value.kind === 'object' ? value.text : parsePlain(value.text);
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asText(member)]));
}
