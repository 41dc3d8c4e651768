import type { RawSpan } from '../raw-span.ts';
import { plainText, type TreeObject, valueAt } from '../tree.ts';
import { type NamedSource, sourcesOf } from './find.ts';
import { sourcesWorthAsking } from './shape.ts';
import { unquote } from './unquoted.ts';

/** The kind of a call, whichever convention it comes from. The sender's own word stays in the raw span. */
export type Kind =
  | 'agent'
  | 'chain'
  | 'llm'
  | 'tool'
  | 'retriever'
  | 'embedding'
  | 'reranker'
  | 'guardrail'
  | 'evaluator'
  | 'workflow';

/** The kind, and where it was read: null if it follows from the name or from other contents of the span. */
export type FoundKind = { kind: Kind; source: NamedSource | null };

/** The kind of a span; null if the span has nothing to do with models and agents. */
export function kindOf(span: RawSpan): FoundKind | null {
  for (const source of sourcesWorthAsking(span, kindSources)) {
    const value = source.read(span);
    const kind = typeof value === 'string' ? kindOfWord(value) : undefined;
    if (kind) return { kind, source };
  }
  const kind = kindOfName(span) ?? kindOfContent(span.attributes.tree);
  return kind && { kind, source: null };
}

/**
 * Whether a span is one model request, whose tokens are billed; the kinds around it repeat the sums of what they
 * contain.
 */
export function isRequestToModel(kind: Kind | null): boolean {
  return kind === 'llm' || kind === 'embedding' || kind === 'reranker';
}

/** Where conventions store the kind. */
export const kindSources = sourcesOf(({ kind }) => kind);

/** The words of all conventions, in lower case. */
const words: Record<Kind, string[]> = {
  agent: ['agent', 'invoke_agent', 'create_agent', 'agent_run', 'run_agent', 'handoff'],
  chain: [
    'chain',
    'task',
    'span',
    'step',
    'turn',
    'event',
    'parser',
    'prompt',
    'runnable',
    'plan',
    'execute_event_loop_cycle',
  ],
  llm: [
    ...['llm', 'generation', 'chat', 'chat_model', 'completion', 'completions', 'text_completion', 'generate_content'],
    ...[
      'response',
      'responses',
      'call_llm',
      'message',
      'messages',
      'image_generation',
      'inference',
      'model',
      'rerank_llm',
    ],
  ],
  tool: ['tool', 'execute_tool', 'function', 'function_tool', 'tool_call', 'call_tool', 'mcp_tool', 'ai.toolcall'],
  retriever: ['retriever', 'retrieval', 'retrieve', 'search', 'vector_store', 'memory', 'search_memory'],
  embedding: ['embedding', 'embeddings', 'embed'],
  reranker: ['reranker', 'rerank'],
  guardrail: ['guardrail', 'guardrails', 'guard', 'apply_guardrail'],
  evaluator: ['evaluator', 'evaluation', 'evaluate', 'eval', 'scorer', 'score'],
  workflow: ['workflow', 'invoke_workflow', 'trace', 'crew', 'pipeline'],
};

const kindByWord = new Map(
  Object.entries(words).flatMap(([kind, names]) => names.map((name) => [name, kind as Kind] as const)),
);

function kindOfWord(value: string): Kind | undefined {
  const word = String(unquote(value)).toLowerCase();
  return kindByWord.get(word) ?? kindByWord.get(word.replaceAll(/[ -]/g, '_')) ?? kindOfAiSdk(word);
}

/** The operations of Vercel's AI SDK: those that end in `.do…` are requests, the others wrap them. */
function kindOfAiSdk(word: string): Kind | undefined {
  if (!word.startsWith('ai.')) return undefined;
  if (/\.do\w+$/.test(word)) return /embed/.test(word) ? 'embedding' : /rerank/.test(word) ? 'reranker' : 'llm';
  return 'chain';
}

/** Names that libraries give to spans without further attributes. */
const names: [pattern: RegExp, kind: Kind][] = [
  [/^(function|running tool|execute_tool|tool call|mcp tool)\b(?!s)/i, 'tool'],
  [/\.tool$/, 'tool'],
  [/^(agent run|invoke_agent|agent_run|create_agent)\b/i, 'agent'],
  [/\.agent$/, 'agent'],
  [/^guardrail\b/i, 'guardrail'],
  [/^(openai agents trace|invocation$|invoke_workflow\b|trace:)/i, 'workflow'],
  [/\.workflow$/, 'workflow'],
  [/^(running tools|running \d+ tools?|turn \{|task: |handoff\b)/i, 'chain'],
  [/\.task$/, 'chain'],
  [/^((chat|text_completion|generate_content|call_llm)( |$)|raw_gen_ai_request$)/, 'llm'],
  [/^embeddings?( |$)/, 'embedding'],
];

function kindOfName({ name, attributes }: RawSpan): Kind | null {
  if (attributes.tree.size === 0) return null;
  return names.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** A span with messages or tokens is a request, unless it says otherwise. */
function kindOfContent(tree: TreeObject): Kind | null {
  const has = (...paths: string[]) => paths.some((path) => valueAt(tree, path.split('.')) !== undefined);
  if (plainText(valueAt(tree, ['gen_ai', 'tool', 'name'])) !== '' || has('tool.name', 'ai.toolCall.name'))
    return 'tool';
  if (has('llm.input_messages', 'llm.output_messages', 'gen_ai.input.messages', 'gen_ai.output.messages')) return 'llm';
  return null;
}
