import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';

/** What a provider charges beside tokens. */
export type Fees = {
  web_searches: number;
  /** Uses of other tools of the provider, whose price is not in the price data. */
  other_fees: number;
};

/** The fees that an answer (JSON text) of OpenAI's, Anthropic's or Google's API shows; null if there are none. */
export function feesOf(json: string): Fees | null {
  if (json.length > answerCharsMax || !mayHaveFees.test(json)) return null;
  let answer: unknown;
  try {
    answer = parsePlain(json);
  } catch {
    return null;
  }
  const items = objectsIn(member(answer, 'output'));
  const searches = items.filter(isSearch).length + numberOf(member(member(answer, 'usage'), 'server_tool_use'));
  const fees = {
    web_searches: searches,
    other_fees: items.filter(({ type }) => paidTools.has(String(type))).length + groundedCandidates(answer),
  };
  return fees.web_searches + fees.other_fees > 0 ? fees : null;
}

/** Spares the parsing of other answers. */
const mayHaveFees =
  /"(\w+_search_call|code_interpreter_call|image_generation_call)"|_search_requests"|[wW]eb_?[sS]earch_?[qQ]ueries"/;
const answerCharsMax = 1_000_000;

const paidTools = new Set(['file_search_call', 'code_interpreter_call', 'image_generation_call']);

/** Opening a page that was found, and looking for text on it, is part of the search. */
function isSearch({ type, action }: Record<string, unknown>): boolean {
  return type === 'web_search_call' && (!isObject(action) || action.type === 'search');
}

/** Google charges answers that are grounded in searches. */
function groundedCandidates(answer: unknown): number {
  return objectsIn(member(answer, 'candidates')).filter((candidate) => {
    const grounding = candidate.groundingMetadata ?? candidate.grounding_metadata;
    const queries = member(grounding, 'webSearchQueries') ?? member(grounding, 'web_search_queries');
    return Array.isArray(queries) && queries.length > 0;
  }).length;
}

function numberOf(tools: unknown): number {
  const count = member(tools, 'web_search_requests');
  return Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : 0;
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
