import type { CompletionInputs } from '../../contract/completions/inputs.ts';
import { invalidInput } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import { mapStrings } from '../../util/json/strings.ts';

type Variables = Record<string, JsonText>;

/**
 * The messages for a model: first those of the prompt, then those of the request. Variables are filled in if the
 * request has values for them, and always in the messages of a prompt.
 * @throws Failure if a message has a variable without a value
 */
export function renderMessages(
  { messages, template_vars }: Pick<CompletionInputs, 'messages' | 'template_vars'>,
  promptMessages: JsonText[],
): JsonText[] {
  const given = template_vars === null ? null : membersOf(template_vars);
  const fromPrompt = promptMessages.map((message) => fillIn(message, given ?? {}));
  return [...fromPrompt, ...(given === null ? messages : messages.map((message) => fillIn(message, given)))];
}

/** Fills in `{name}` in the strings of a message, except in messages of the model. */
function fillIn(message: JsonText, variables: Variables): JsonText {
  if (message.kind !== 'object' || roleOf(message) === 'assistant') return message;
  const fill = (text: string, key: string | null) =>
    key !== null && structural.has(key) ? text : filled(text, variables);
  return new JsonText(mapStrings(message.text, fill));
}

/** Members whose strings are not text. */
const structural = new Set(['role', 'type', 'tool_call_id', 'id', 'detail', 'format']);

/**
 * As in Python's `str.format`, `{{` and `}}` represent braces. Braces around anything that is not a name, such as those
 * of JSON, are kept.
 */
function filled(text: string, variables: Variables): string {
  return text.replaceAll(/\{\{|\}\}|\{([^{}]*)\}/g, (found, name: string | undefined) => {
    if (name === undefined) return found[0]!;
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) return value.kind === 'string' ? parsePlain(value.text) : value.text;
    if (!/^[A-Za-z_]\w*$/.test(name)) return found;
    const names = Object.keys(variables).sort().join(', ') || 'none';
    throw invalidInput(`Prompt template variable '${name}' not found. Available variables: ${names}`);
  });
}

function membersOf(object: JsonText): Variables {
  return parseJson(object.text, { keep: { '*': true } }) as Variables;
}

function roleOf(message: JsonText): unknown {
  const parsed = parsePlain(message.text);
  return isObject(parsed) ? parsed.role : undefined;
}
