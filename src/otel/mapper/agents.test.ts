import { readdirSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { loadDefaultPrices } from '../../domain/prices/default-prices.ts';
import { openPriceBook } from '../../domain/prices/price-book.ts';
import { tokenCosts, totalCost } from '../../domain/prices/token-costs.ts';
import type { CallUsage } from '../../domain/usage/call-usage.ts';
import { repeatedRequests } from '../../domain/usage/repeated-requests.ts';
import { rollUp } from '../../domain/usage/roll-up.ts';
import { usageOf } from '../../domain/usage/testing/call-usage.ts';
import { type AgentCall, type Billed, readAgentFixture, usageCalls } from '../testing/agent-fixture.ts';

/**
 * Agent programs of real libraries (captured by scripts/capture-spans/capture-agents.ts): each is asked for the weather,
 * calls a tool that answers and one that fails, and is then asked for tomorrow's weather with a streamed answer. What
 * becomes of their spans is compared with what the provider was asked and what it billed.
 */
const libraries = readdirSync(new URL('../../../testing/spans/agents/', import.meta.url)).map((file) =>
  file.replace('.json', ''),
);

/**
 * The requests of which a library sends no tokens of the cache, anywhere: their cost is that of a prompt that was not cached.
 * smolagents sends them with whole answers alone.
 */
const withoutCache: Record<string, RegExp> = {
  'openai-v2': /./,
  'openai-v2-events': /./,
  'openai-v2-no-content': /./,
  'openai-v2-spans': /./,
  smolagents: /^chatcmpl-4$/,
};
/** Records no messages: a setting. */
const withoutContent = ['openai-v2-no-content'];
/** Passes no user on. */
const withoutUser = ['openai-agents-logfire'];

const prices = openPriceBook([], await loadDefaultPrices());

describe.each(libraries)('%s', (library) => {
  const { calls, billed: whole } = readAgentFixture(library);
  const isWithoutCache = ({ responseId }: Billed) => withoutCache[library]?.test(responseId) ?? false;
  const billed = whole.map((bill) => (isWithoutCache(bill) ? { ...bill, cacheRead: 0, cacheWrite: 0 } : bill));
  const requests = calls.filter(({ attributes, usage }) => attributes.kind === 'llm' && usage.input > 0);
  const tools = calls.filter(({ attributes }) => attributes.kind === 'tool');

  it('reports the tokens of every request as they were billed', () => {
    const seen = new Set(requests.map(({ usage }) => usage.input));
    expect([...seen].sort()).toEqual(billed.map(({ input }) => input).sort());
    for (const { usage } of requests) {
      const bill = billed.find(({ input }) => input === usage.input)!;
      expect(Math.abs(usage.output - bill.output)).toBeLessThanOrEqual(1); // one library counts the first event of a stream too
      expect(bill.model).toContain(usage.model.replace('openai/', ''));
      expect([usage.cacheRead, usage.cacheCreation]).toEqual([bill.cacheRead, bill.cacheWrite]);
    }
  });

  it('costs what the provider billed', () => {
    for (const cost of [costRolledUp(calls), costAddedUp(calls)]) {
      expect(Math.abs(cost / costBilled(billed) - 1)).toBeLessThan(0.01);
    }
  });

  test.runIf(library in withoutCache)('sends no tokens of the cache where none are counted', () => {
    const inputs = new Set(whole.filter(isWithoutCache).map(({ input }) => input));
    const uncached = requests.filter(({ usage }) => inputs.has(usage.input));
    expect(uncached.length).toBeGreaterThan(0);
    for (const { raw } of uncached) expect(raw).not.toMatch(/cache/i);
  });

  it('has a kind, and a name without fragments of a template', () => {
    const unknown = calls.filter(({ attributes }) => !attributes.kind);
    expect(unknown.map(({ name }) => name)).toEqual([]);
    for (const { call } of calls) expect(call.opId).not.toMatch(/[{}]|request_data|^function_name/);
  });

  it('names the tools, and says why one failed', () => {
    const names = new Set(tools.map(({ attributes }) => attributes.tool_name));
    expect([...names]).toEqual(expect.arrayContaining(['weather', 'forecast']));
    const failed = tools.filter(({ attributes }) => attributes.tool_name === 'forecast');
    for (const { call } of failed) expect(call.exception).toMatch(/no forecast for Paris|Error running tool/);
  });

  it('shows the thread and the user', () => {
    expect(calls.map(({ call }) => call.threadId)).toContain('thread-1');
    if (!withoutUser.includes(library)) expect(calls.map(({ attributes }) => attributes.user_id)).toContain('user-1');
  });

  test.skipIf(withoutContent.includes(library))('shows messages as those of chat completions', () => {
    const asked = requests.map(({ inputs }) => messagesIn(inputs)).filter((messages) => messages.length > 0);
    expect(asked.length).toBeGreaterThanOrEqual(billed.length); // some requests are seen by a second tracer, which says less
    for (const messages of asked) {
      expect(messages.map(({ role }) => role)).toEqual(expect.arrayContaining(['system', 'user']));
      for (const message of messages) expect(message).toEqual(chatMessage);
    }
    const answered = requests.flatMap(({ output }) => messagesIn(output));
    for (const message of answered) expect(message).toEqual(chatMessage);
    expect(JSON.stringify([...asked, ...answered])).not.toMatch(
      /MessageRole|"lc"|ChatMessage\(|"parts"|toolUse|message_content/,
    );
  });

  test.skipIf([...withoutContent, 'dspy'].includes(library))(
    'shows calls of tools with their arguments and results',
    () => {
      const messages = requests.flatMap(({ inputs, output }) => [...messagesIn(inputs), ...messagesIn(output)]);
      const called = messages.flatMap(({ tool_calls = [] }) => tool_calls);
      expect(called).toContainEqual({
        ...(library === 'langgraph-js' ? {} : { id: expect.any(String) }), // which sends no ids
        type: 'function',
        function: { name: 'weather', arguments: expect.toSatisfy((text) => JSON.parse(text).city === 'Paris') },
      });
      if (library === 'smolagents') return; // tells the model what a tool answered as a user
      const ids = new Set(called.map(({ id }) => id));
      const results = messages.filter(({ role }) => role === 'tool');
      expect(results.map(({ content }) => content)).toContain('sunny in Paris');
      if (library === 'langgraph-js') return;
      for (const { tool_call_id } of results) expect(ids).toContain(tool_call_id);
    },
  );
});

const chatMessage = expect.toSatisfy((message: Record<string, unknown>) => {
  const { role, content, tool_calls = [] } = message;
  const isContent = content === null || content === undefined || typeof content === 'string' || Array.isArray(content);
  return ['system', 'user', 'assistant', 'tool'].includes(String(role)) && isContent && Array.isArray(tool_calls);
}, 'a message of chat completions');

/** Messages are the payload, in it, or the payload is one. */
function messagesIn(payload: Record<string, any>): any[] {
  const [value] = Object.values(payload).filter((each) => typeof each === 'object' && each !== null);
  if (Array.isArray(value)) return value;
  return value?.messages ?? (value?.role ? [value] : []);
}

function rolled(calls: AgentCall[]) {
  const ids = new Set(calls.map(({ call }) => call.id));
  const usage = rollUp(usageCalls(calls), prices);
  const roots = calls.filter(({ call }) => !ids.has(call.parentId));
  return roots.flatMap(({ call }) => [...usage.get(call.id)!.countedOnce.values()]);
}

/** As statistics and the costs of calls have it: of each call its own, but of those that are repeated. */
function costAddedUp(calls: AgentCall[]): number {
  const byTrace = Map.groupBy(usageCalls(calls), ({ traceId }) => traceId);
  const counted = [...byTrace.values()].flatMap((trace) => {
    const repeated = repeatedRequests(trace);
    return trace.filter(({ id }) => !repeated.has(id));
  });
  return counted.reduce(
    (sum, { usage, startedAt }) => usage.reduce((more, each) => more + priceOf(each, startedAt), sum),
    0,
  );
}

function priceOf(usage: CallUsage, at: number): number {
  return totalCost(tokenCosts(usage, prices.at(usage, at)));
}

function costRolledUp(calls: AgentCall[]): number {
  return rolled(calls).reduce(
    (sum, each) =>
      sum +
      each.prompt_tokens_total_cost +
      each.completion_tokens_total_cost +
      each.cache_read_input_tokens_total_cost +
      each.cache_creation_input_tokens_total_cost,
    0,
  );
}

function costBilled(billed: Billed[]): number {
  return billed.reduce((sum, { cacheWrite, ...counts }) => {
    const usage = usageOf({ ...counts, requests: 1, cacheCreation: cacheWrite });
    return sum + priceOf(usage, 1_790_000_000_000_000);
  }, 0);
}
