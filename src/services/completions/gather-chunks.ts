import { isObject } from '../../util/json/own-member.ts';

type Members = Record<string, unknown>;

/** Combines the chunks that have arrived so far into one completion. */
export class GatheredChunks {
  #head: Members = {};
  #usage: unknown = null;
  readonly #choices = new Map<number, { message: Members; logprobs: unknown[]; rest: Members }>();

  take(chunk: Members): void {
    const { choices, usage, object: _, ...head } = chunk;
    this.#head = { ...head, ...this.#head };
    if (isObject(usage)) this.#usage = usage;
    if (!Array.isArray(choices)) return;
    for (const choice of choices) if (isObject(choice)) this.#takeChoice(choice);
  }

  get usage(): unknown {
    return this.#usage;
  }

  completion(): Members {
    const choices = [...this.#choices].sort(([a], [b]) => a - b);
    return {
      ...this.#head,
      object: 'chat.completion',
      choices: choices.map(([index, { message, logprobs, rest }]) => ({
        ...rest,
        index,
        message: { content: null, ...message, ...toolCallsOf(message) },
        logprobs: logprobs.length > 0 ? { content: logprobs } : null,
      })),
      usage: this.#usage,
    };
  }

  #takeChoice({ index, delta, logprobs, ...rest }: Members): void {
    const place = Number.isSafeInteger(index) ? (index as number) : 0;
    let choice = this.#choices.get(place);
    if (!choice) {
      choice = { message: { role: 'assistant' }, logprobs: [], rest: {} };
      this.#choices.set(place, choice);
    }
    if (isObject(delta)) merge(choice.message, delta);
    if (isObject(logprobs) && Array.isArray(logprobs.content)) {
      for (const each of logprobs.content) choice.logprobs.push(each);
    }
    for (const [name, value] of Object.entries(rest)) if (value !== null) choice.rest[name] = value;
  }
}

/** Strings are appended, lists are merged by the index of their elements, everything else is replaced. */
function merge(into: Members, delta: Members): void {
  for (const [name, value] of Object.entries(delta)) {
    if (value === null || value === undefined) continue;
    const before = Object.hasOwn(into, name) ? into[name] : undefined;
    if (typeof value === 'string' && typeof before === 'string' && !whole.has(name)) into[name] = before + value;
    else if (isObject(value) && isObject(before)) merge(before, value);
    else if (Array.isArray(value)) into[name] = joined(Array.isArray(before) ? before : [], value);
    else into[name] = value;
  }
}

/** Strings that every chunk repeats. */
const whole = new Set(['role', 'id', 'type', 'name']);

function joined(before: unknown[], more: unknown[]): unknown[] {
  for (const element of more) {
    const same =
      isObject(element) && element.index !== undefined ? before.find((each) => hasIndex(each, element)) : undefined;
    if (isObject(same) && isObject(element)) merge(same, element);
    else before.push(element);
  }
  return before;
}

function hasIndex(each: unknown, { index }: Members): boolean {
  return isObject(each) && each.index === index;
}

/** In a complete message, tool calls have no index. */
function toolCallsOf({ tool_calls: calls }: Members): Members {
  if (!Array.isArray(calls)) return {};
  return {
    tool_calls: calls.map((call) => {
      if (!isObject(call)) return call;
      const { index: _, ...rest } = call;
      return rest;
    }),
  };
}
