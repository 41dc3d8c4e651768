import type { DataSource } from '../../contract/openai-eval-runs/data-source.ts';
import { isObject } from '../../util/json/own-member.ts';

/** The parameters of a chat request, of the `sampling_params` of a data source. Those that are null are left out. */
export function chatParameters(source: DataSource): Record<string, unknown> {
  if (source.type === 'jsonl' || !source.sampling_params) return {};
  const { tools, ...rest } = source.sampling_params;
  const { text, ...sampling } = rest as typeof rest & { text?: { format?: unknown } | null };
  const parameters = {
    ...sampling,
    ...(tools && tools.length > 0 ? { tools: tools.map(chatTool) } : {}),
    ...(text?.format ? { response_format: chatFormat(text.format) } : {}),
  };
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));
}

/** Why a tool cannot be used; null if it can. Tools of chats have their function in a member, those of responses do not. */
export function toolFault(tool: Record<string, unknown>): string | null {
  const { type } = tool;
  if (type !== 'function') {
    return `heddle runs no built-in tools such as ${JSON.stringify(type ?? null).slice(0, 100)}: only functions are supported.`;
  }
  const described = isObject(tool.function) ? tool.function : tool;
  return typeof described.name === 'string' && described.name !== '' ? null : 'A function needs a name.';
}

function chatTool(tool: Record<string, unknown>): Record<string, unknown> {
  if (isObject(tool.function)) return tool;
  const { type, ...described } = tool;
  return { type, function: described };
}

/** The schema of a response format is in a member of its own in chats. */
function chatFormat(format: unknown): unknown {
  if (!isObject(format) || format.type !== 'json_schema' || isObject(format.json_schema)) return format;
  const { type, ...described } = format;
  return { type, json_schema: described };
}
