import { openInTurn } from '../../util/in-turn.ts';
import type { AdapterId } from '../adapter-id.ts';
import type { CachedSequence, LoadedModel } from '../runtime/types.ts';
import { type ChunkRules, keepableLength, reusableMax } from './chunks.ts';
import type { Generation } from './generation.ts';
import {
  addChild,
  emptyRoot,
  nodesBelow,
  type Path,
  type PromptNode,
  pathAlong,
  removeLeaf,
  splitNode,
} from './prompt-tree.ts';
import { type Sequence, sequenceLength, sequenceTokens } from './sequence.ts';

/** Computing a shorter prefix is as fast as copying it. */
export const sharedMin = 32;

/** Finding the least recently used node scans all of them. */
const nodesMax = 4096;

/** When memory is full, this share of the cache is dropped at once, so that it is not full again at the next token. */
const droppedShare = 1 / 8;

/** What may share keys and values: requests with the same adapter and the same salt. */
type Owner = Pick<Generation, 'adapterId' | 'cacheSalt'>;

/**
 * Keys and values of finished sequences, for requests that start with the same tokens: a conversation that continues,
 * or many questions after one long instruction. A prefix that several sequences share is kept once. The least recently
 * used tokens are dropped when memory is full. All methods run one after another.
 */
export class PromptCache {
  readonly #model: LoadedModel;
  readonly #rules: ChunkRules;
  readonly #roots = new Map<string, { adapterId: AdapterId | null; root: PromptNode }>();
  readonly #nodes = new Set<PromptNode>();
  readonly #inTurn = openInTurn();
  #uses = 0;
  /** How many sequences were kept and released. */
  #released = 0;

  constructor(model: LoadedModel, rules: ChunkRules) {
    this.#model = model;
    this.#rules = rules;
  }

  /** How many kept tokens a sequence may start with. */
  keptLength(sequence: Sequence): Promise<number> {
    return this.#inTurn(async () => Math.min(this.#path(sequence).length, reusableMax(sequence, this.#rules)));
  }

  /** A sequence that starts with this many kept tokens of this one; null if there is not enough memory. */
  resume(sequence: Sequence, length: number): Promise<CachedSequence | null> {
    return this.#inTurn(() => {
      const { nodes } = this.#path(sequence);
      this.#touch(nodes);
      let left = length;
      const parts = nodes.map(({ kept, tokens }) => {
        const count = Math.min(tokens.length, left);
        left -= count;
        return { kept: kept!, count };
      });
      const used = parts.filter(({ count }) => count > 0);
      return this.#model.resume(used, sequence.generation.adapterId);
    });
  }

  /** Keeps a sequence that no request needs any more. */
  keep(sequence: Sequence): void {
    const cached = sequence.cached!;
    const tokens = sequenceTokens(sequence, 0, keepableLength(sequence, this.#rules));
    const keep = async () => {
      try {
        if (tokens.length >= sharedMin) await this.#add(sequence.generation, tokens, cached);
      } finally {
        this.#model.release(cached);
        this.#released++;
      }
    };
    this.#inTurn(keep).catch(() => {}); // if the model has failed, its steps report it
  }

  /** Drops the prompts of an adapter. */
  forget(adapterId: AdapterId): Promise<void> {
    return this.#inTurn(async () => {
      for (const [key, owned] of this.#roots) if (owned.adapterId === adapterId) this.#dropRoot(key, owned.root);
    });
  }

  clear(): Promise<void> {
    return this.#inTurn(async () => {
      for (const [key, { root }] of this.#roots) this.#dropRoot(key, root);
    });
  }

  /** Drops at least this many tokens, the least recently used first. @returns whether any memory was freed */
  makeRoom(tokens: number): Promise<boolean> {
    const released = this.#released;
    return this.#inTurn(async () => {
      this.#uses++; // so no node is in use
      return this.#drop(tokens) > 0 || this.#released > released;
    });
  }

  async #add(owner: Owner, tokens: Int32Array, cached: CachedSequence): Promise<void> {
    const key = keyOf(owner);
    const { root } = this.#roots.get(key) ?? { root: emptyRoot() };
    const path = pathAlong(root, tokens);
    this.#touch(path.nodes);
    const count = tokens.length - path.length;
    if (count === 0) return;
    if (this.#nodes.size >= nodesMax) this.#drop(1);
    let kept = await this.#model.keep(cached, path.length, count);
    if (kept === null && this.#drop(count) > 0) kept = await this.#model.keep(cached, path.length, count);
    if (kept === null) return;
    const parent = await this.#endOf(root, path);
    const node = addChild(parent, tokens.slice(path.length), kept);
    node.usedAt = this.#uses;
    this.#nodes.add(node);
    this.#roots.set(key, { adapterId: owner.adapterId, root });
  }

  /** The node that ends where a path ends. */
  async #endOf(root: PromptNode, { nodes, inLast }: Path): Promise<PromptNode> {
    const last = nodes.at(-1) ?? root;
    if (inLast < last.tokens.length) {
      this.#nodes.add(splitNode(last, await this.#model.splitKept(last.kept!, inLast)));
    }
    return last;
  }

  #path(sequence: Sequence): Path {
    const root = this.#roots.get(keyOf(sequence.generation))?.root ?? emptyRoot();
    return pathAlong(root, sequenceTokens(sequence, 0, sequenceLength(sequence)));
  }

  #touch(nodes: PromptNode[]): void {
    this.#uses++;
    for (const node of nodes) node.usedAt = this.#uses;
  }

  /** Keeps what is in use. @returns how many tokens were dropped */
  #drop(tokens: number): number {
    const kept = [...this.#nodes].reduce((sum, node) => sum + node.tokens.length, 0);
    const wanted = Math.max(tokens, kept * droppedShare);
    let dropped = 0;
    while (dropped < wanted) {
      const oldest = this.#oldestLeaf();
      if (oldest === null) break;
      dropped += oldest.tokens.length;
      this.#dropNode(oldest);
      removeLeaf(oldest);
    }
    for (const [key, { root }] of this.#roots) if (root.children.size === 0) this.#roots.delete(key);
    return dropped;
  }

  #oldestLeaf(): PromptNode | null {
    let oldest: PromptNode | null = null;
    for (const node of this.#nodes) {
      if (node.children.size === 0 && node.usedAt < (oldest?.usedAt ?? this.#uses)) oldest = node;
    }
    return oldest;
  }

  #dropRoot(key: string, root: PromptNode): void {
    for (const node of nodesBelow(root)) this.#dropNode(node);
    this.#roots.delete(key);
  }

  #dropNode(node: PromptNode): void {
    this.#nodes.delete(node);
    this.#model.dropKept(node.kept!);
  }
}

function keyOf({ adapterId, cacheSalt }: Owner): string {
  return JSON.stringify([adapterId, cacheSalt]);
}
