import { isObject } from '../../util/json/own-member.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';

/**
 * The variables below `sample` for an output of a model: `output_text`, and `output_json` if the text is JSON.
 */
export function sampleOf(output: unknown): Record<string, unknown> {
  const text = typeof output === 'string' ? output : toJson(output ?? null);
  const parsed = typeof output === 'string' ? parsedJson(output) : output;
  return { output_text: text, ...(parsed === undefined ? {} : { output_json: parsed }) };
}

/** The same for the message of a chat answer. */
export function sampleOfMessage(message: unknown): Record<string, unknown> {
  const { content = null, tool_calls: tools } = isObject(message) ? message : {};
  return {
    ...sampleOf(content ?? ''),
    output_tools: Array.isArray(tools) ? tools : [],
    choices: [{ message }],
  };
}

function parsedJson(text: string): unknown {
  try {
    return parseJson(text, { keepsDigits: true, isStrict: true });
  } catch {
    return undefined;
  }
}
