import type { Constraint } from '../../engine/grammars/constraint.ts';
import { invalidInput } from '../../util/failures.ts';
import { ebnfOfChoice, exactEbnf } from './ebnf.ts';
import { ebnfOfLark } from './lark.ts';
import { checkLength, constraintLimits } from './limits.ts';
import { exactRegex } from './regex.ts';
import { jsonGrammar, parsedSchema } from './schema/json-grammar.ts';
import type { JsonSpacing } from './schema/spacing.ts';
import { exactStructuralTag, exactStructuralTagText } from './structural-tag.ts';
import { whitespaceAsEbnf } from './whitespace.ts';

/** The fields of `response_format`, whose types are already checked. */
export type ResponseFormat = {
  type: 'text' | 'json_object' | 'json_schema' | 'structural_tag';
  json_schema?: { name: string; schema?: unknown; strict?: boolean | null } | null;
  structures?: unknown;
  triggers?: unknown;
  format?: unknown;
};

/** The fields of `structured_outputs`. */
export type StructuredOutputs = {
  json?: string | Record<string, unknown> | null;
  regex?: string | null;
  choice?: readonly string[] | null;
  grammar?: string | null;
  json_object?: boolean | null;
  structural_tag?: string | null;
  whitespace_pattern?: string | null;
  disable_any_whitespace?: boolean | null;
};

/** The one constraint of a request, or null. */
export function constraintOf(
  format: ResponseFormat | null | undefined,
  outputs: StructuredOutputs | null | undefined,
): Constraint | null {
  const ofFormat = format ? constraintOfFormat(format) : null;
  const ofOutputs = outputs ? constraintOfOutputs(outputs) : null;
  if (ofFormat && ofOutputs) {
    throw invalidInput('response_format and structured_outputs both constrain the output. Use one.', {
      param: 'structured_outputs',
    });
  }
  return ofFormat ?? ofOutputs;
}

/** The JSON schema that finished answers must satisfy, as text; null for other constraints. */
export function schemaToCheck(
  format: ResponseFormat | null | undefined,
  outputs: StructuredOutputs | null | undefined,
): string | null {
  if (format?.type === 'json_schema') return JSON.stringify(format.json_schema!.schema);
  if (format?.type === 'json_object' || outputs?.json_object === true) return JSON.stringify(anyObject);
  const json = outputs?.json ?? null;
  return json === null || typeof json === 'string' ? json : JSON.stringify(json);
}

function constraintOfFormat(format: ResponseFormat): Constraint | null {
  const refusing = <Result>(make: () => Result) => refused('response_format', 'response_format', make);
  switch (format.type) {
    case 'text':
      return null;
    case 'json_object':
      return { kind: 'ebnf', grammar: jsonGrammar(anyObject, 'any') };
    case 'json_schema': {
      const schema = format.json_schema?.schema;
      if (schema === undefined || schema === null) {
        throw invalidInput('response_format.json_schema.schema is missing: nothing would be constrained.', {
          param: 'response_format',
        });
      }
      return { kind: 'ebnf', grammar: refusing(() => jsonGrammar(schema, 'any')) };
    }
    case 'structural_tag':
      return { kind: 'structural_tag', tag: refusing(() => exactStructuralTag(format)) };
    default:
      return format.type satisfies never;
  }
}

function constraintOfOutputs(outputs: StructuredOutputs): Constraint {
  const { json, regex, choice, grammar, json_object, structural_tag } = outputs;
  const refusing = <Result>(kind: string, make: () => Result) =>
    refused(`structured_outputs.${kind}`, 'structured_outputs', make);
  if (json !== undefined && json !== null) {
    const spacing = spacingOf(outputs);
    const schema = () => (typeof json === 'string' ? parsedSchema(json) : json);
    return { kind: 'ebnf', grammar: refusing('json', () => jsonGrammar(schema(), spacing)) };
  }
  if (typeof regex === 'string') return refusing('regex', () => constraintOfRegex(regex));
  if (choice) return { kind: 'ebnf', grammar: refusing('choice', () => grammarOfChoice(choice)) };
  if (typeof grammar === 'string') return { kind: 'ebnf', grammar: refusing('grammar', () => exactGrammar(grammar)) };
  if (typeof structural_tag === 'string') {
    return { kind: 'structural_tag', tag: refusing('structural_tag', () => exactStructuralTagText(structural_tag)) };
  }
  if (json_object === true) return { kind: 'ebnf', grammar: jsonGrammar(anyObject, spacingOf(outputs)) };
  throw invalidInput('structured_outputs.json_object must be true where it is the only constraint.', {
    param: 'structured_outputs',
  });
}

const anyObject = { type: 'object' };

function spacingOf({ whitespace_pattern, disable_any_whitespace }: StructuredOutputs): JsonSpacing {
  if (typeof whitespace_pattern !== 'string') return disable_any_whitespace === true ? 'fixed' : 'any';
  const place = 'structured_outputs.whitespace_pattern';
  return { ebnf: refused(place, 'structured_outputs', () => whitespaceAsEbnf(whitespace_pattern)) };
}

function constraintOfRegex(regex: string): Constraint {
  const pattern = exactRegex(regex);
  // The library has no regular expression that matches only the empty string.
  if (pattern === '') return { kind: 'ebnf', grammar: 'root ::= ""' };
  return {
    kind: 'structural_tag',
    tag: JSON.stringify({ type: 'structural_tag', format: { type: 'regex', pattern } }),
  };
}

function grammarOfChoice(choice: readonly string[]): string {
  if (choice.length === 0) throw new Error('it has no choices');
  const { choices } = constraintLimits;
  if (choice.length > choices) throw new Error(`it has ${choice.length} choices; at most ${choices} are possible`);
  return ebnfOfChoice(choice);
}

function exactGrammar(text: string): string {
  if (text.trim() === '') throw new Error('it is empty');
  checkLength(text, constraintLimits.grammarLength);
  return exactEbnf(text.includes('::=') ? text : ebnfOfLark(text));
}

function refused<Result>(place: string, param: string, make: () => Result): Result {
  try {
    return make();
  } catch (error) {
    throw invalidInput(`${place} cannot be used: ${(error as Error).message}.`, { param });
  }
}
