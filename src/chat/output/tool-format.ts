import { randomBytes } from 'node:crypto';
import { readFunctionGemmaCall, readGemmaCall } from './gemma-calls.ts';
import { readQwenCoderCall } from './qwen-coder-calls.ts';
import type { Tool } from './tool.ts';

/** How a family of models writes tool calls. */
export type ToolFormat = JsonToolFormat | EnclosedToolFormat;

/** The arguments are JSON, so they are passed on while they are written. */
export type JsonToolFormat = {
  kind: 'json';
  name: 'hermes' | 'llama3' | 'mistral' | 'phi4';
  /** Opens a call, and closes it if there is a closing mark. */
  open: string;
  close: string | null;
  /** Whether the whole answer may be a call without an opening mark. */
  mayStartBare: boolean;
  /** Separators of calls after one opening mark. */
  separators: RegExp;
  /** Special tokens that must be kept in the text for the parser. */
  shownTokens: readonly string[];
  makeId: () => string;
};

/** The arguments are not JSON, so a call is read when it is closed. */
export type EnclosedToolFormat = {
  kind: 'enclosed';
  name: 'qwen3_coder' | 'gemma' | 'function_gemma';
  open: string;
  close: string;
  shownTokens: readonly string[];
  /** Reads the text between the marks. @throws if it is not a call */
  read(text: string, tools: readonly Tool[]): { name: string; arguments: string };
  makeId: () => string;
};

const callId = () => `call_${randomBytes(12).toString('hex')}`;

/** `<tool_call>{…}</tool_call>`: Hermes, Qwen 2.5 and 3; with a list inside, SmolLM2. */
const hermes: JsonToolFormat = {
  kind: 'json',
  name: 'hermes',
  open: '<tool_call>',
  close: '</tool_call>',
  mayStartBare: false,
  separators: /^[\s,]*/,
  shownTokens: ['<tool_call>', '</tool_call>'],
  makeId: callId,
};

/** `{"name": …, "parameters": {…}}` as the whole answer, several separated by semicolons: Llama 3. */
const llama3: JsonToolFormat = {
  kind: 'json',
  name: 'llama3',
  open: '<|python_tag|>',
  close: null,
  mayStartBare: true,
  separators: /^[\s;,]*/,
  shownTokens: ['<|python_tag|>'],
  makeId: callId,
};

/** `[TOOL_CALLS][{…}]`, in newer versions `[TOOL_CALLS]name{…}`: Mistral. Ids have nine letters and digits. */
const mistral: JsonToolFormat = {
  kind: 'json',
  name: 'mistral',
  open: '[TOOL_CALLS]',
  close: null,
  mayStartBare: false,
  separators: /^[\s,]*/,
  shownTokens: ['[TOOL_CALLS]', '[ARGS]', '[CALL_ID]'],
  makeId: () =>
    randomBytes(16)
      .toString('base64')
      .replace(/[^a-zA-Z0-9]/g, '')
      .slice(0, 9)
      .padEnd(9, '0'),
};

/** `<|tool_call|>[{…}]<|/tool_call|>`: Phi-4-mini. */
const phi4: JsonToolFormat = {
  ...hermes,
  name: 'phi4',
  open: '<|tool_call|>',
  close: '<|/tool_call|>',
  shownTokens: ['<|tool_call|>', '<|/tool_call|>'],
};

/** `<tool_call><function=name><parameter=key>value</parameter></function></tool_call>`: Qwen3-Coder. */
const qwenCoder: EnclosedToolFormat = {
  kind: 'enclosed',
  name: 'qwen3_coder',
  open: '<tool_call>',
  close: '</tool_call>',
  shownTokens: ['<tool_call>', '</tool_call>'],
  read: readQwenCoderCall,
  makeId: callId,
};

/** `<|tool_call>call:name{key:<|"|>text<|"|>}<tool_call|>`: Gemma 4. */
const gemma: EnclosedToolFormat = {
  kind: 'enclosed',
  name: 'gemma',
  open: '<|tool_call>',
  close: '<tool_call|>',
  shownTokens: ['<|tool_call>', '<tool_call|>', '<|"|>'],
  read: readGemmaCall,
  makeId: callId,
};

/** The same with `<start_function_call>` and `<escape>`: FunctionGemma. */
const functionGemma: EnclosedToolFormat = {
  ...gemma,
  name: 'function_gemma',
  open: '<start_function_call>',
  close: '<end_function_call>',
  shownTokens: ['<start_function_call>', '<end_function_call>', '<escape>'],
  read: readFunctionGemmaCall,
};

/**
 * The family, recognized by what its chat template writes; Hermes for a template without tools, and null if it shows
 * tools in a format that heddle does not read.
 */
export function toolFormatOf(chatTemplate: string | null): ToolFormat | null {
  if (chatTemplate === null) return hermes;
  const found = signs.find(([sign]) => sign.test(chatTemplate));
  if (found) return found[1];
  return /\btools\b/.test(chatTemplate) ? null : hermes;
}

/** Marks of only one family, the most specific first. */
const signs: readonly (readonly [RegExp, ToolFormat | null])[] = [
  [/\[TOOL_CALLS\]/, mistral],
  [/<start_function_call>/, functionGemma],
  [/<\|tool_call>/, gemma],
  [/<function=/, qwenCoder],
  [/<\|tool_call\|>/, phi4],
  [/<arg_key>/, null], // GLM, which also has <tool_call>
  [/<tool_call>/, hermes],
  [/python_tag|ipython/, llama3],
];

/** Whether the model reasons between `<think>` and `</think>`. */
export function reasons(chatTemplate: string | null): boolean {
  return chatTemplate?.includes('</think>') ?? false;
}
