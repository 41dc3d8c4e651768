import type { OutputParser } from './deltas.ts';
import { EnclosedCallParser } from './enclosed-calls.ts';
import { promptOpensReasoning, ReasoningParser } from './reasoning.ts';
import { type ToolCallOptions, ToolCallParser } from './tool-calls.ts';
import { reasons, toolFormatOf } from './tool-format.ts';

export type OutputOptions = {
  chatTemplate: string | null;
  /** The rendered prompt: it may have opened the reasoning. */
  prompt: string;
  /** Null if no calls are parsed: `tool_choice` none, or no tools. */
  toolCalls: ToolCallOptions | null;
};

/** The parser for a model's answers, chosen by what its chat template writes. */
export function outputParser({ chatTemplate, prompt, toolCalls }: OutputOptions): OutputParser {
  const content = callParser(chatTemplate, toolCalls) ?? plainContent;
  if (!reasons(chatTemplate)) return content;
  return new ReasoningParser(content, { startsInside: promptOpensReasoning(prompt) });
}

/** Special tokens that the parser reads although special tokens are hidden. */
export function tokensShownToParser(options: Pick<OutputOptions, 'chatTemplate' | 'toolCalls'>): string[] {
  const calls = options.toolCalls ? (toolFormatOf(options.chatTemplate)?.shownTokens ?? []) : [];
  return [...calls, ...(reasons(options.chatTemplate) ? ['<think>', '</think>'] : [])];
}

/** Null if there are no calls to parse, or the model writes them in a format that heddle does not read. */
function callParser(chatTemplate: string | null, options: ToolCallOptions | null): OutputParser | null {
  const format = options && toolFormatOf(chatTemplate);
  if (!format) return null;
  return format.kind === 'json' ? new ToolCallParser(format, options) : new EnclosedCallParser(format, options);
}

const plainContent: OutputParser = {
  push: (text) => (text === '' ? [] : [{ kind: 'content', text }]),
  end: () => [],
};
