import { type CallStatus, statusOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { millisecondsOf } from '../../format/time.ts';

export type CallNode = {
  call: Call;
  depth: number;
  parent: CallNode | null;
  children: CallNode[];
  /** Milliseconds after the start of the trace; the end is null while the call runs. */
  start: number;
  end: number | null;
  /** Whether a call below failed, even if this one went on. */
  hasFailureBelow: boolean;
};

export type CallTree = {
  roots: CallNode[];
  /** Every call, parents before their children. */
  nodes: CallNode[];
  byId: ReadonlyMap<string, CallNode>;
  durationMs: number;
};

/**
 * The calls of a trace, in the order of their start, as trees. A call whose parent is missing is a root, and so is the first
 * call of a cycle.
 */
export function treeOf(calls: Call[]): CallTree {
  const begin = calls.reduce((least, call) => Math.min(least, startOf(call)), Number.POSITIVE_INFINITY);
  const byId = new Map(calls.map((call) => [call.id, nodeOf(call, begin)]));
  const parentOf = ({ call }: CallNode) => (call.parent_id ? byId.get(call.parent_id) : undefined);
  const firstOfCycles = new Set(cyclesOf(byId.values(), parentOf).map(firstOf));
  const roots: CallNode[] = [];
  for (const node of byId.values()) {
    const parent = parentOf(node);
    if (!parent || firstOfCycles.has(node)) roots.push(node);
    else {
      node.parent = parent;
      parent.children.push(node);
    }
  }
  const nodes = inOrder(roots);
  for (const node of nodes.toReversed()) {
    const isFailed = node.hasFailureBelow || statusOf(node.call) === 'error';
    if (node.parent && isFailed) node.parent.hasFailureBelow = true;
  }
  const durationMs = nodes.reduce((most, { start, end }) => Math.max(most, end ?? start), 0.001);
  return { roots, nodes, byId, durationMs };
}

/** Whether a call represents its trace: it has no parent, or is the first call of a trace without such a call. */
export function isTopmost({ roots }: CallTree, { call }: CallNode): boolean {
  if (!call.parent_id) return true;
  return roots.every((root) => root.call.parent_id) && firstOf(roots).call === call;
}

/** The calls that are shown while these are closed. */
export function openNodes(tree: CallTree, isOpen: (node: CallNode) => boolean): CallNode[] {
  return inOrder(tree.roots, isOpen);
}

/** The first call that failed by itself, with those above it: what a reader looks for in a failed trace. */
export function pathToFailure(tree: CallTree): CallNode[] {
  const failed = tree.nodes.filter(({ call }) => statusOf(call) === 'error');
  const first = failed.find((node) => !node.children.some(({ call }) => statusOf(call) === 'error'));
  return first ? pathTo(first) : [];
}

/** How a call ended, with what happened below it. */
export function statusInTree({ call, hasFailureBelow }: CallNode): CallStatus {
  const status = statusOf(call);
  return status === 'success' && hasFailureBelow ? 'descendant_error' : status;
}

export function pathTo(node: CallNode): CallNode[] {
  const path: CallNode[] = [];
  for (let each: CallNode | null = node; each !== null; each = each.parent) path.push(each);
  return path.reverse();
}

function nodeOf(call: Call, begin: number): CallNode {
  const start = startOf(call) - begin;
  const end = call.ended_at == null ? null : millisecondsOf(call.ended_at) - begin;
  return { call, depth: 0, parent: null, children: [], start, end, hasFailureBelow: false };
}

function startOf({ started_at }: Call): number {
  return millisecondsOf(started_at);
}

/** Clients choose ids: a call may name itself or its own descendant as its parent. */
function cyclesOf(nodes: Iterable<CallNode>, parentOf: (node: CallNode) => CallNode | undefined): CallNode[][] {
  const seen = new Set<CallNode>();
  const cycles: CallNode[][] = [];
  for (const start of nodes) {
    const path = new Set<CallNode>();
    let node: CallNode | undefined = start;
    while (node && !seen.has(node)) {
      seen.add(node);
      path.add(node);
      node = parentOf(node);
    }
    if (!node || !path.has(node)) continue;
    const all = [...path];
    cycles.push(all.slice(all.indexOf(node)));
  }
  return cycles;
}

function firstOf(nodes: CallNode[]): CallNode {
  const isBefore = (a: CallNode, b: CallNode) => a.start < b.start || (a.start === b.start && a.call.id < b.call.id);
  return nodes.reduce((first, node) => (isBefore(node, first) ? node : first));
}

/** Without recursion: traces may be thousands of calls deep. */
function inOrder(roots: CallNode[], isOpen: (node: CallNode) => boolean = () => true): CallNode[] {
  const nodes: CallNode[] = [];
  const waiting = roots.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    node.depth = node.parent === null ? 0 : node.parent.depth + 1;
    nodes.push(node);
    if (isOpen(node)) for (const child of node.children.toReversed()) waiting.push(child);
  }
  return nodes;
}
