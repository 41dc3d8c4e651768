import type { RawSpan } from '../raw-span.ts';
import { plainText } from '../tree.ts';
import { findFirst, type NamedSource, sourcesOf } from './find.ts';
import { titleOf } from './op-title.ts';

export const toolNameSources = sourcesOf(({ toolName }) => toolName);

/** The name of the tool that a span calls: from an attribute, otherwise the name of the span. */
export function toolNameOf(span: RawSpan): { name: string; source: NamedSource | null } {
  const found = findFirst(span, toolNameSources);
  if (found !== null) return { name: plainText(found.value), source: found.source };
  const name = titleOf(span)
    .replace(/^(execute_tool|running tool|function|tool call|mcp tool|tool)[:\s]+/i, '')
    .replace(/\.(tool|__call__|a?call|a?run|a?invoke|execute)$/i, '');
  return { name, source: null };
}
