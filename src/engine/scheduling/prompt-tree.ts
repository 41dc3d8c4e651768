import type { KeptTokens } from '../runtime/types.ts';

/** Tokens that follow those of the parent. Prompts that start with the same tokens share nodes. */
export type PromptNode = {
  /** Null for the root, which has no tokens. */
  parent: PromptNode | null;
  tokens: Int32Array;
  kept: KeptTokens | null;
  /** By their first token. */
  children: Map<number, PromptNode>;
  /** Increases with each use. */
  usedAt: number;
};

/** The nodes along some tokens, and how many tokens of the last one match. */
export type Path = { nodes: PromptNode[]; inLast: number; length: number };

export function emptyRoot(): PromptNode {
  return { parent: null, tokens: new Int32Array(0), kept: null, children: new Map(), usedAt: 0 };
}

/** The longest known prefix of some tokens. */
export function pathAlong(root: PromptNode, tokens: Int32Array): Path {
  const path: Path = { nodes: [], inLast: 0, length: 0 };
  let node = root;
  while (path.inLast === node.tokens.length) {
    const child = node.children.get(tokens[path.length]!);
    if (child === undefined) break;
    path.nodes.push(child);
    path.inLast = commonLength(child.tokens, tokens.subarray(path.length));
    path.length += path.inLast;
    node = child;
  }
  return path;
}

export function addChild(parent: PromptNode, tokens: Int32Array, kept: KeptTokens): PromptNode {
  const node = { parent, tokens, kept, children: new Map(), usedAt: 0 };
  parent.children.set(tokens[0]!, node);
  return node;
}

/** Splits a node: it keeps its first tokens, and the rest and its children move to a new child. @returns the child */
export function splitNode(node: PromptNode, [first, rest]: [KeptTokens, KeptTokens]): PromptNode {
  const { tokens, children, usedAt } = node;
  const child: PromptNode = { parent: node, tokens: tokens.slice(first.length), kept: rest, children, usedAt };
  for (const each of children.values()) each.parent = child;
  node.tokens = tokens.slice(0, first.length);
  node.kept = first;
  node.children = new Map([[child.tokens[0]!, child]]);
  return child;
}

export function removeLeaf({ parent, tokens }: PromptNode): void {
  parent!.children.delete(tokens[0]!);
}

export function* nodesBelow(root: PromptNode): Generator<PromptNode> {
  for (const child of root.children.values()) {
    yield child;
    yield* nodesBelow(child);
  }
}

function commonLength(a: Int32Array, b: Int32Array): number {
  const end = Math.min(a.length, b.length);
  let length = 0;
  while (length < end && a[length] === b[length]) length++;
  return length;
}
