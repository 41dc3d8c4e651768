import { randomBytes } from 'node:crypto';

/** How a family of models writes tool calls. */
export type ToolFormat = {
  name: 'hermes' | 'llama3' | 'mistral';
  /** Opens a call, and closes it if something does. */
  open: string;
  close: string | null;
  /** The whole answer may be a call without an opening. */
  mayStartBare: boolean;
  /** What may separate two calls after one opening. */
  separators: RegExp;
  /** Special tokens that must be kept in the text for the parser. */
  shownTokens: readonly string[];
  /** The key of the arguments, as the model was trained to write it. */
  argumentsKey: 'arguments' | 'parameters';
  makeId: () => string;
};

const callId = () => `call_${randomBytes(12).toString('hex')}`;

/** `<tool_call>{…}</tool_call>`: Hermes, Qwen 2.5 and 3; with a list inside, SmolLM2. */
const hermes: ToolFormat = {
  name: 'hermes',
  open: '<tool_call>',
  close: '</tool_call>',
  mayStartBare: false,
  separators: /^[\s,]*/,
  shownTokens: ['<tool_call>', '</tool_call>'],
  argumentsKey: 'arguments',
  makeId: callId,
};

/** `{"name": …, "parameters": {…}}` as the whole answer, several parted by semicolons: Llama 3. */
const llama3: ToolFormat = {
  name: 'llama3',
  open: '<|python_tag|>',
  close: null,
  mayStartBare: true,
  separators: /^[\s;,]*/,
  shownTokens: ['<|python_tag|>'],
  argumentsKey: 'parameters',
  makeId: callId,
};

/** `[TOOL_CALLS][{…}]`, in newer versions `[TOOL_CALLS]name{…}`: Mistral. Ids have nine letters and digits. */
const mistral: ToolFormat = {
  name: 'mistral',
  open: '[TOOL_CALLS]',
  close: null,
  mayStartBare: false,
  separators: /^[\s,]*/,
  shownTokens: ['[TOOL_CALLS]', '[ARGS]', '[CALL_ID]'],
  argumentsKey: 'arguments',
  makeId: () =>
    randomBytes(16)
      .toString('base64')
      .replace(/[^a-zA-Z0-9]/g, '')
      .slice(0, 9)
      .padEnd(9, '0'),
};

/** The family, found by what its chat template writes; Hermes if that is unknown. */
export function toolFormatOf(chatTemplate: string | null): ToolFormat {
  if (chatTemplate?.includes('[TOOL_CALLS]')) return mistral;
  if (chatTemplate?.includes('<tool_call>')) return hermes;
  if (chatTemplate && /python_tag|ipython/.test(chatTemplate)) return llama3;
  return hermes;
}

/** Whether the model reasons between `<think>` and `</think>`. */
export function reasons(chatTemplate: string | null): boolean {
  return chatTemplate?.includes('</think>') ?? false;
}
