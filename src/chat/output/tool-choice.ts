import type { Constraint } from '../../engine/grammars/constraint.ts';
import { invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsedSchema, valueGrammar } from '../structured/schema/json-grammar.ts';
import { markedNotation } from '../structured/schema/marked-notation.ts';
import { jsonNotation, type Notation } from '../structured/schema/notation.ts';
import { qwenCoderParameters } from './qwen-coder-parameters.ts';
import type { Tool } from './tool.ts';
import type { ToolFormat } from './tool-format.ts';

/** `tool_choice` of the request: a keyword, or one function by name. */
export type ToolChoice = 'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } };

/** Default: auto with tools, none without. */
export function toolChoiceOf(choice: ToolChoice | undefined, tools: readonly Tool[]): ToolChoice {
  const decided = choice ?? (tools.length > 0 ? 'auto' : 'none');
  if (decided === 'none' || decided === 'auto') return decided;
  if (tools.length === 0)
    throw invalidInput('tool_choice requires a call, and there are no tools.', { param: 'tool_choice' });
  if (typeof decided === 'object' && !tools.some((tool) => tool.function.name === decided.function.name)) {
    throw invalidInput(`tool_choice names ${JSON.stringify(decided.function.name)}, which no tool is called.`, {
      param: 'tool_choice',
    });
  }
  return decided;
}

/** A constraint that makes the model call a tool. */
export type RequiredCall = {
  constraint: Constraint;
  /** The schemas of arguments that it enforces, as text, by the names of the tools. */
  schemas: ReadonlyMap<string, string>;
};

/** Whether the answer must be a call. */
export function requiresCall(choice: ToolChoice): boolean {
  return choice !== 'none' && choice !== 'auto';
}

/** The schemas of required calls whose arguments are written as JSON. */
export function schemasOfCalls(choice: ToolChoice, tools: readonly Tool[]): ReadonlyMap<string, string> {
  return schemasOf(callableTools(choice, tools), asJson);
}

function callableTools(choice: ToolChoice, tools: readonly Tool[]): readonly Tool[] {
  return typeof choice === 'object' ? tools.filter((tool) => tool.function.name === choice.function.name) : tools;
}

/** The constraint for a required call, in the format of the model's family; null if the model may choose. */
export function requiredCall(
  format: ToolFormat | null,
  choice: ToolChoice,
  tools: readonly Tool[],
  parallel: boolean,
): RequiredCall | null {
  if (!requiresCall(choice)) return null;
  const frame = format && frames[format.name];
  if (!frame) {
    throw invalidInput(
      'tool_choice requires a call, and this model writes calls in a format that heddle does not know. Use "auto".',
      { param: 'tool_choice' },
    );
  }
  const named = typeof choice === 'object';
  const callable = callableTools(choice, tools);
  const { begin, content, end, separator, before, after } = frame;
  const calls = {
    type: 'tags_with_separator',
    tags: callable.map((tool) => ({
      type: 'tag',
      begin: begin(tool.function.name),
      content: content(tool),
      end,
    })),
    separator,
    at_least_one: true,
    stop_after_first: named || !parallel,
  };
  // One tag around all of them: the library does not accept such tags in the middle of a sequence.
  const whole = before === '' ? calls : { type: 'tag', begin: before, content: calls, end: after };
  const tag = JSON.stringify({ type: 'structural_tag', format: whole });
  return {
    constraint: { kind: 'structural_tag', tag },
    schemas: frame.notation === null ? new Map() : schemasOf(callable, frame.notation),
  };
}

/** Two tools with the same name cannot be distinguished. */
function schemasOf(tools: readonly Tool[], notation: Notation): Map<string, string> {
  const names = tools.map((tool) => tool.function.name);
  const unique = tools.filter((_, index) => names.indexOf(names[index]!) === names.lastIndexOf(names[index]!));
  return new Map(unique.map((tool) => [tool.function.name, JSON.stringify(argumentsOf(tool, notation).schema)]));
}

type Frame = {
  begin(name: string): string;
  /** The arguments. */
  content(tool: Tool): object;
  /** How arguments are written; null if a grammar cannot enforce their schema completely. */
  notation: Notation | null;
  end: string;
  separator: string;
  before: string;
  after: string;
};

const asJson = jsonNotation('any');

const json = (
  open: string,
  key: 'arguments' | 'parameters',
  close: string,
): Pick<Frame, 'begin' | 'content' | 'end' | 'notation'> => ({
  begin: (name) => `${open}{"name": ${JSON.stringify(name)}, "${key}": `,
  content: (tool) => ({ type: 'grammar', grammar: argumentsOf(tool, asJson).grammar }),
  end: `}${close}`,
  notation: asJson,
});

/** `call:name{…}` between two marks. */
function marked(open: string, quote: string, close: string): Frame {
  const notation = markedNotation(quote, close);
  return {
    begin(name) {
      if (/^[^\s{}]+$/.test(name)) return `call:${name}`;
      const found = `the tool ${JSON.stringify(name)}, whose name this model cannot write in a call`;
      throw invalidInput(`tool_choice requires a call, and there is ${found}.`, { param: 'tool_choice' });
    },
    content: (tool) => ({ type: 'grammar', grammar: argumentsOf(tool, notation).grammar }),
    end: '',
    notation,
    // The library does not accept an empty separator, so the marks between two calls are one separator.
    separator: close + open,
    before: open,
    after: close,
  };
}

/** How a required call is written. */
const frames: Record<ToolFormat['name'], Frame> = {
  hermes: { ...json('<tool_call>\n', 'arguments', '\n</tool_call>'), separator: '\n', before: '', after: '' },
  llama3: { ...json('', 'parameters', ''), separator: '; ', before: '', after: '' },
  mistral: { ...json('', 'arguments', ''), separator: ', ', before: '[TOOL_CALLS][', after: ']' },
  phi4: { ...json('', 'arguments', ''), separator: ', ', before: '<|tool_call|>[', after: ']<|/tool_call|>' },
  qwen3_coder: {
    begin: (name) => `<tool_call>\n<function=${name}>\n`,
    content: (tool) => ({ type: 'regex', pattern: qwenCoderParameters(tool.function.parameters) }),
    end: '</function>\n</tool_call>',
    notation: null,
    separator: '\n',
    before: '',
    after: '',
  },
  gemma: marked('<|tool_call>', '<|"|>', '<tool_call|>'),
  function_gemma: marked('<start_function_call>', '<escape>', '<end_function_call>'),
};

/** Arguments are an object, whether or not the schema says so. A schema that cannot be enforced is not constrained. */
function argumentsOf({ function: { parameters } }: Tool, notation: Notation): { schema: object; grammar: string } {
  try {
    const given = parsedSchema(parameters ?? '{}');
    if (isObject(given)) {
      const schema = { ...given, type: 'object' };
      return { schema, grammar: valueGrammar(schema, notation) };
    }
  } catch {}
  const schema = { type: 'object' };
  return { schema, grammar: valueGrammar(schema, notation) };
}
