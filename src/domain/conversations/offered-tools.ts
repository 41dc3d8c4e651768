import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import { listOf, memberOf, objectOf, opened, textAt } from './values.ts';

/** A function that the model could call. `parameters` is a JSON Schema. */
export type OfferedTool = { name: string; description: string | null; parameters: LosslessJson };

/** The tools of a request, from the first of these payloads that lists any. Lists of mere names are none. */
export function offeredTools(...payloads: LosslessJson[]): OfferedTool[] {
  for (const payload of payloads) {
    const found = toolsIn(payload, 0);
    if (found.length > 0) return found;
  }
  return [];
}

/** Where requests list them, and where spans do: `gen_ai.tool.definitions`, `llm.tools`, `ai.prompt.tools`. */
const listKeys = ['tools', 'definitions', 'function_tools', 'functions'];
const listKeyPattern = /"(?:tools|function_tools|functions)"/;
/** A message may quote a request. */
const messageKeys = new Set(['messages', 'contents', 'history', 'input_messages', 'output_messages', 'all_messages']);
const depthMax = 6;

function toolsIn(value: LosslessJson, depth: number): OfferedTool[] {
  const isWorthOpening = typeof value !== 'string' || listKeyPattern.test(value);
  const object = isWorthOpening && depth <= depthMax ? opened(value) : null;
  if (!(object instanceof Map)) return [];
  for (const key of listKeys) {
    const tools = (listOf(object.get(key)) ?? []).flatMap(toolsOf);
    if (tools.length > 0) return tools;
  }
  for (const [key, member] of object) {
    const tools = messageKeys.has(key) ? [] : toolsIn(member, depth + 1);
    if (tools.length > 0) return tools;
  }
  return [];
}

/** One element of a list of tools. Gemini puts several functions into one. */
function toolsOf(element: LosslessJson): OfferedTool[] {
  const sent = objectOf(element);
  if (sent === null) return [];
  const several = listOf(memberOf(sent, 'function_declarations', 'functionDeclarations'));
  if (several) return several.flatMap(toolsOf);
  const inner = objectOf(memberOf(sent, 'function', 'toolSpec', 'tool', 'json_schema') ?? null);
  if (inner) return toolsOf(inner);
  const name = textAt(sent, 'name');
  if (name === null) return [];
  return [{ name, description: textAt(sent, 'description'), parameters: schemaOf(sent) }];
}

function schemaOf(tool: LosslessObject): LosslessJson {
  const names = ['parameters', 'input_schema', 'inputSchema', 'parameters_json_schema', 'parametersJsonSchema'];
  const schema = objectOf(memberOf(tool, ...names));
  return objectOf(memberOf(schema, 'jsonSchema', 'json')) ?? schema ?? new Map([['type', 'object']]);
}
