/**
 * A list with insertion and removal at any position in logarithmic time. An array moves all following elements, so a
 * hundred thousand changes of a million elements would take a minute. A tree whose nodes count the elements below them.
 */
export class CountedList<Element> {
  #root: Node<Element>;

  constructor(elements: readonly Element[]) {
    this.#root = balanced(leavesOf(elements));
  }

  get length(): number {
    return this.#root.length;
  }

  /** @param index from 0 to the length */
  insert(index: number, element: Element): void {
    const second = insertInto(this.#root, index, element);
    if (second) this.#root = branch([this.#root, second]);
  }

  /** @param index of an existing element */
  remove(index: number): Element {
    return removeFrom(this.#root, index);
  }

  /** All elements in order, in runs of at most a few hundred. */
  runs(): Generator<readonly Element[]> {
    return runsOf(this.#root);
  }
}

const widthMax = 256;

type Leaf<Element> = { elements: Element[]; length: number };
type Branch<Element> = { children: Node<Element>[]; length: number };
type Node<Element> = Leaf<Element> | Branch<Element>;

function branch<Element>(children: Node<Element>[]): Branch<Element> {
  return { children, length: children.reduce((sum, { length }) => sum + length, 0) };
}

function leavesOf<Element>(all: readonly Element[]): Leaf<Element>[] {
  const leaves: Leaf<Element>[] = [];
  for (let start = 0; start < all.length || start === 0; start += widthMax / 2) {
    const elements = all.slice(start, start + widthMax / 2);
    leaves.push({ elements, length: elements.length });
  }
  return leaves;
}

function balanced<Element>(nodes: Node<Element>[]): Node<Element> {
  if (nodes.length === 1) return nodes[0]!;
  const above: Node<Element>[] = [];
  for (let start = 0; start < nodes.length; start += widthMax / 2) {
    above.push(branch(nodes.slice(start, start + widthMax / 2)));
  }
  return balanced(above);
}

/** The second half of a node that has too many children. */
function insertInto<Element>(node: Node<Element>, index: number, element: Element): Node<Element> | null {
  node.length++;
  if ('elements' in node) {
    node.elements.splice(index, 0, element);
    return node.elements.length > widthMax ? splitLeaf(node) : null;
  }
  const [at, offset] = childAt(node.children, index);
  const second = insertInto(node.children[at]!, index - offset, element);
  if (second) node.children.splice(at + 1, 0, second);
  return node.children.length > widthMax ? splitBranch(node) : null;
}

function removeFrom<Element>(node: Node<Element>, index: number): Element {
  node.length--;
  if ('elements' in node) return node.elements.splice(index, 1)[0]!;
  const [at, offset] = childAt(node.children, index + 1);
  const child = node.children[at]!;
  const removed = removeFrom(child, index - offset);
  if (child.length === 0 && node.children.length > 1) node.children.splice(at, 1);
  return removed;
}

/** The child that contains a position, and how many elements precede that child. */
function childAt<Element>(children: Node<Element>[], place: number): [at: number, offset: number] {
  let offset = 0;
  let at = 0;
  while (at < children.length - 1 && offset + children[at]!.length < place) offset += children[at++]!.length;
  return [at, offset];
}

function splitLeaf<Element>(leaf: Leaf<Element>): Leaf<Element> {
  const elements = leaf.elements.splice(leaf.elements.length >> 1);
  leaf.length = leaf.elements.length;
  return { elements, length: elements.length };
}

function splitBranch<Element>(node: Branch<Element>): Branch<Element> {
  const second = branch(node.children.splice(node.children.length >> 1));
  node.length -= second.length;
  return second;
}

function* runsOf<Element>(node: Node<Element>): Generator<readonly Element[]> {
  if ('elements' in node) yield node.elements;
  else for (const child of node.children) yield* runsOf(child);
}
