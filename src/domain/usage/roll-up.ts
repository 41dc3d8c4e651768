import { tooLarge } from '../../util/failures.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { reporterOf } from './repeated-requests.ts';
import { requestsSeenTwice } from './seen-twice.ts';
import type { UsageCall } from './usage-call.ts';
import { addUsage, equals, isAtLeast, minus, reportedUsage, type UsageByModel, type UsageSum } from './usage-sum.ts';

/** The usage of a call and all its descendants. */
export type RolledUsage = {
  /** The sum of what each of them reports; a request that two of them report is counted once. */
  reported: UsageByModel;
  /** The same, without what a call reports of its descendants' usage. */
  countedOnce: UsageByModel;
};

/**
 * Adds up usage along the parent links among these calls, from the leaves, each call once. Calls in a cycle of parent
 * links get the usage of what is below them outside of the cycle.
 * @throws Failure if calls use so many models that the response would be too large.
 */
export function rollUp(calls: UsageCall[], book: PriceBook | null): Map<string, RolledUsage> {
  const nodes = new Map(calls.map((call) => [call.id, { call, waitsFor: 0, below: nothing(), isDone: false }]));
  const parentOf = ({ id, parentId }: UsageCall) => (parentId === id ? undefined : nodes.get(parentId));
  for (const { call } of nodes.values()) {
    const parent = parentOf(call);
    if (parent) parent.waitsFor++;
  }
  const rolled = new Map<string, RolledUsage>();
  const seenTwice = requestsSeenTwice(calls);
  let sums = 0;
  const ready = [...nodes.values()].filter(({ waitsFor }) => waitsFor === 0);
  for (let node = ready.pop(); node; node = ready.pop()) {
    const { call } = node;
    const own = ownUsage(call, book);
    const reportedBelow = new Map(node.below.reported);
    const isSeenTwice = seenTwice.has(call.id);
    const usage = withOwn(call, own, node.below, book, isSeenTwice);
    sums += usage.reported.size;
    if (sums > sumsMax) throw tooLarge(`These calls and models make more than ${sumsMax} sums. Ask for fewer calls.`);
    node.isDone = true;
    rolled.set(call.id, usage);
    const parent = parentOf(call);
    if (!parent) continue;
    addUsage(parent.below.reported, isSeenTwice ? reportedBelow : usage.reported);
    addUsage(parent.below.countedOnce, usage.countedOnce);
    for (const reporter of node.below.reporters) parent.below.reporters.add(reporter);
    if (call.isSpan && own.size > 0) parent.below.reporters.add(reporterOf(call));
    parent.below.hasSdkUsage ||= node.below.hasSdkUsage || (!call.isSpan && own.size > 0);
    if (mayAdd(parent.call, call)) addUsage(parent.below.ofChildren, own);
    if (--parent.waitsFor === 0) ready.push(parent);
  }
  for (const { call, below, isDone } of nodes.values()) {
    if (isDone) continue;
    rolled.set(call.id, withOwn(call, ownUsage(call, book), below, book, seenTwice.has(call.id)));
  }
  return rolled;
}

const sumsMax = 1_000_000;

/** The usage below a call; `ofChildren` is what an SDK would have added to the call's own usage. */
type Below = RolledUsage & { ofChildren: UsageByModel; hasSdkUsage: boolean; reporters: Set<string> };

function nothing(): Below {
  return {
    reported: new Map(),
    countedOnce: new Map(),
    ofChildren: new Map(),
    hasSdkUsage: false,
    reporters: new Set(),
  };
}

function ownUsage(call: UsageCall, book: PriceBook | null): UsageByModel {
  const own: UsageByModel = new Map();
  for (const usage of call.usage) {
    const reported = reportedUsage(usage, book?.at(usage, call.startedAt) ?? null);
    if (reported) own.set(usage.model, reported);
  }
  return own;
}

/** Whether an SDK adds the usage of this child to its parent: it does so when the parent ends, but not for spans. */
function mayAdd(parent: UsageCall, child: UsageCall): boolean {
  if (parent.isSpan || child.isSpan || child.endedAt === null) return false;
  return parent.endedAt === null || child.endedAt <= parent.endedAt;
}

/** Adds the call's own usage to the usage below it. */
function withOwn(
  call: UsageCall,
  own: UsageByModel,
  below: Below,
  book: PriceBook | null,
  isSeenTwice: boolean,
): RolledUsage {
  const used: UsageByModel = new Map();
  const isOfOneReporter = call.isSpan && below.reporters.has(reporterOf(call));
  const isRequestBelow = !isOfOneReporter && isSameRequest(own, below.countedOnce);
  for (const [model, reported] of own) {
    if (isSeenTwice || isRequestBelow) continue;
    const repeated = isOfOneReporter ? null : repeatedUsage(call, model, reported, below);
    const usage = call.usage.find((each) => each.model === model)!;
    const price = book?.at(usage, call.startedAt) ?? null;
    used.set(model, repeated ? minus(reported, repeated, price) : reported);
  }
  // Of two reports of one request, the one with cached tokens is complete.
  const counted =
    isRequestBelow && !isSeenTwice && knowsMore(own, below.countedOnce) ? new Map(own) : below.countedOnce;
  const isReportedAgain = isRequestBelow && (call.isSpan || !below.hasSdkUsage);
  const reported = isReportedAgain ? new Map<string, UsageSum>() : below.reported;
  addUsage(reported, own);
  addUsage(counted, used);
  return { reported, countedOnce: counted };
}

/**
 * Whether a call reports exactly the usage below it, perhaps under another name of the model: the same request, traced
 * twice.
 */
function isSameRequest(own: UsageByModel, below: UsageByModel): boolean {
  const [reported, inside] = [tokensOf(own), tokensOf(below)];
  return reported.input + reported.output > 0 && reported.input === inside.input && reported.output === inside.output;
}

function knowsMore(own: UsageByModel, below: UsageByModel): boolean {
  return tokensOf(own).cached > tokensOf(below).cached;
}

function tokensOf(usage: UsageByModel): { input: number; output: number; cached: number } {
  const sum = { input: 0, output: 0, cached: 0 };
  for (const each of usage.values()) {
    sum.input += each.prompt_tokens;
    sum.output += each.completion_tokens;
    sum.cached += each.cache_read_input_tokens + each.cache_creation_input_tokens;
  }
  return sum;
}

/**
 * The part of a call's usage of a model that its descendants have already reported. SDKs add the children's usage to
 * their parent's; a tracer reports a span's own usage or, for a span around others, their sum.
 */
function repeatedUsage({ isSpan }: UsageCall, model: string, reported: UsageSum, below: Below): UsageSum | null {
  const inside = (isSpan ? below.countedOnce : below.ofChildren).get(model);
  if (!inside) return null;
  return (isSpan ? equals(reported, inside) : isAtLeast(reported, inside)) ? inside : null;
}
