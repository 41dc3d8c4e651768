import type { Constraint } from '../../engine/grammars/constraint.ts';
import { isObject } from '../../util/json/own-member.ts';
import { BadRequest } from '../bad-request.ts';
import { jsonGrammar, parsedSchema } from '../structured/schema/json-grammar.ts';
import { qwenCoderParameters } from './qwen-coder-parameters.ts';
import type { ToolFormat } from './tool-format.ts';

/** `parameters` is a JSON schema, as text. */
export type Tool = { type: string; function: { name: string; description?: string; parameters?: string | null } };

/** `tool_choice` of the request: a word, or one function by name. */
export type ToolChoice = 'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } };

/** Absent means auto with tools, none without. */
export function toolChoiceOf(choice: ToolChoice | undefined, tools: readonly Tool[]): ToolChoice {
  const decided = choice ?? (tools.length > 0 ? 'auto' : 'none');
  if (decided === 'none' || decided === 'auto') return decided;
  if (tools.length === 0) throw new BadRequest('tool_choice requires a call, and there are no tools.', 'tool_choice');
  if (typeof decided === 'object' && !tools.some((tool) => tool.function.name === decided.function.name)) {
    throw new BadRequest(
      `tool_choice names ${JSON.stringify(decided.function.name)}, which no tool is called.`,
      'tool_choice',
    );
  }
  return decided;
}

/** A constraint that makes the model call a tool. */
export type RequiredCall = {
  constraint: Constraint;
  /** The schemas of arguments that it enforces, as text, by the names of the tools. */
  schemas: ReadonlyMap<string, string>;
};

/** What makes the model call a tool, in the format of its family; null if it may choose. */
export function requiredCall(
  format: ToolFormat | null,
  choice: ToolChoice,
  tools: readonly Tool[],
  parallel: boolean,
): RequiredCall | null {
  if (choice === 'none' || choice === 'auto') return null;
  const frame = format && frames[format.name];
  if (!frame) {
    const found = format ? `the format ${format.name}` : 'a format that heddle does not know';
    throw new BadRequest(
      `tool_choice requires a call, and this model writes calls in ${found}. Use "auto".`,
      'tool_choice',
    );
  }
  const named = typeof choice === 'object';
  const callable = named ? tools.filter((tool) => tool.function.name === choice.function.name) : tools;
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
  // A tag around all of them: the library does not take such tags in the middle of a sequence.
  const whole = before === '' ? calls : { type: 'tag', begin: before, content: calls, end: after };
  const tag = JSON.stringify({ type: 'structural_tag', format: whole });
  return { constraint: { kind: 'structural_tag', tag }, schemas: frame.isExact ? schemasOf(callable) : new Map() };
}

/** The first of two tools with one name is not told apart from the second. */
function schemasOf(tools: readonly Tool[]): Map<string, string> {
  const names = tools.map((tool) => tool.function.name);
  const unique = tools.filter((_, index) => names.indexOf(names[index]!) === names.lastIndexOf(names[index]!));
  return new Map(unique.map((tool) => [tool.function.name, JSON.stringify(argumentsOf(tool).schema)]));
}

type Frame = {
  begin(name: string): string;
  /** The arguments. */
  content(tool: Tool): object;
  /** Whether the arguments satisfy their schema, if a grammar can enforce it. */
  isExact: boolean;
  end: string;
  separator: string;
  before: string;
  after: string;
};

const json = (
  open: string,
  key: 'arguments' | 'parameters',
  close: string,
): Pick<Frame, 'begin' | 'content' | 'end' | 'isExact'> => ({
  begin: (name) => `${open}{"name": ${JSON.stringify(name)}, "${key}": `,
  content: (tool) => ({ type: 'grammar', grammar: argumentsOf(tool).grammar }),
  end: `}${close}`,
  isExact: true,
});

/** How a required call is written; null for formats that the grammar library has no constraint for. */
const frames: Record<ToolFormat['name'], Frame | null> = {
  hermes: { ...json('<tool_call>\n', 'arguments', '\n</tool_call>'), separator: '\n', before: '', after: '' },
  llama3: { ...json('', 'parameters', ''), separator: '; ', before: '', after: '' },
  mistral: { ...json('', 'arguments', ''), separator: ', ', before: '[TOOL_CALLS][', after: ']' },
  phi4: { ...json('', 'arguments', ''), separator: ', ', before: '<|tool_call|>[', after: ']<|/tool_call|>' },
  qwen3_coder: {
    begin: (name) => `<tool_call>\n<function=${name}>\n`,
    content: (tool) => ({ type: 'regex', pattern: qwenCoderParameters(tool.function.parameters) }),
    end: '</function>\n</tool_call>',
    isExact: false,
    separator: '\n',
    before: '',
    after: '',
  },
  gemma: null,
  function_gemma: null,
};

/** Arguments are an object, whether or not the schema says so. A schema that cannot be enforced is left to the model. */
function argumentsOf({ function: { parameters } }: Tool): { schema: object; grammar: string } {
  try {
    const given = parsedSchema(parameters ?? '{}');
    if (isObject(given)) {
      const schema = { ...given, type: 'object' };
      return { schema, grammar: jsonGrammar(schema, 'any') };
    }
  } catch {}
  const schema = { type: 'object' };
  return { schema, grammar: jsonGrammar(schema, 'any') };
}
