import { type Node, parseSync } from 'oxc-parser';

export const collections = ['Map', 'Set', 'WeakMap', 'WeakSet', 'LRUCache', 'KnownIds'];

/**
 * The maps and sets of a file that may outlive a request, by the syntax alone: those of classes; those of modules, unless
 * they are filled when they are made and stay so; those in a function that returns functions which use them; and those
 * that an `open…` function returns.
 */
export function lastingStateIn(text: string): string[] {
  const { program, errors } = parseSync('file.ts', text);
  if (errors.length > 0) throw new Error(errors[0]!.message);
  const names = nodesIn(program).flatMap(({ node, above }) => {
    if (node.type !== 'NewExpression' || node.callee.type !== 'Identifier') return [];
    return collections.includes(node.callee.name) ? (nameOf(node, above, text) ?? []) : [];
  });
  return [...new Set(names)];
}

/** Where a new collection is kept, if it may outlive a request. */
function nameOf(made: Node, above: Node[], text: string): string | null {
  const scope = above.findLastIndex(isFunction);
  const [own, parent, inside] = [above[scope], above[scope - 1], above.slice(scope + 1)];
  if (inside.some(({ type }) => type === 'SpreadElement' || type === 'MemberExpression')) return null; // only passed through
  const ofClass = (member: Node) => `${ownName(above.findLast(isClass)!)}.${textOf(member, text).replace('this.', '')}`;
  const kept = inside.find(({ type }) => /^(PropertyDefinition|VariableDeclarator|AssignmentExpression)$/.test(type));
  if (kept?.type === 'PropertyDefinition') return ofClass(kept.key);
  if (kept?.type === 'AssignmentExpression' && /^this\b/.test(textOf(kept.left, text))) return ofClass(kept.left);
  if (kept?.type === 'AssignmentExpression') {
    const isVariable = kept.left.type !== 'MemberExpression'; // a member is kept where its object is
    return isVariable ? (namesIn(kept.left).map((name) => nameOfOuter(name, above))[0] ?? null) : null;
  }
  if (kept?.type === 'VariableDeclarator') {
    const names = namesIn(kept.id);
    const isKept = own
      ? returnsFunctions(own) && names.some((name) => isUsedInside(own, name))
      : names.some((name) => isFilledLater(made, name, text));
    return isKept ? [...(own ? [`${functionName(own, parent)}.`] : []), names.join(', ')].join('') : null;
  }
  const property = above.at(-1)!;
  const isReturned = own && inside.some(({ type }) => type === 'ReturnStatement') && property.type === 'Property';
  return isReturned && /^open/.test(functionName(own, parent))
    ? `${functionName(own, parent)}.${textOf(property.key, text)}`
    : null;
}

/** Where a variable that is assigned in one function is declared, if another function or the module declares it. */
function nameOfOuter(name: string, above: Node[]): string | null {
  const declaring = above.findLastIndex((node) => isFunction(node) && declares(node, name));
  if (declaring === -1) return name;
  const outer = above[declaring]!;
  const isOuter = outer !== above.findLast(isFunction) && returnsFunctions(outer);
  return isOuter ? `${functionName(outer, above[declaring - 1])}.${name}` : null;
}

function declares(scope: Node, name: string): boolean {
  const isParameter = namesIn((scope as { params: Node[] } & Node).params).includes(name);
  return (
    isParameter ||
    nodesIn(scope).some(
      ({ node, above }) =>
        node.type === 'VariableDeclarator' && above.findLast(isFunction) === scope && namesIn(node.id).includes(name),
    )
  );
}

/** The variables that a pattern declares. */
function namesIn(pattern: Node | Node[]): string[] {
  return nodesIn(pattern).flatMap(({ node, above }) => {
    const isOfType = above.some(({ type }) => type === 'TSTypeAnnotation');
    const isKey = above.at(-1)?.type === 'Property' && (above.at(-1) as { value: Node }).value !== node;
    return node.type === 'Identifier' && !isOfType && !isKey ? node.name : [];
  });
}

function isFilledLater(made: Node, name: string, text: string): boolean {
  const isEmpty =
    made.type === 'NewExpression' && (made.arguments.length === 0 || textOf(made.callee, text) === 'LRUCache');
  return isEmpty || new RegExp(`\\b${name}\\.(set|add|delete|clear)\\(`).test(text);
}

function isUsedInside(scope: Node, name: string): boolean {
  return nodesIn(scope).some(
    ({ node, above }) => node.type === 'Identifier' && node.name === name && above.findLast(isFunction) !== scope,
  );
}

/** Whether a function returns a function, alone or in an object: what it has made then lives on. */
function returnsFunctions(scope: Node): boolean {
  const inner = nodesIn(scope).filter(({ above }) => above.findLast(isFunction) === scope);
  const own: string[] = [];
  const isGiven = (value: Node): boolean => {
    if (value.type === 'Identifier') return own.includes(value.name);
    if (value.type !== 'ObjectExpression') return isFunction(value);
    return value.properties.some((property) => property.type === 'Property' && isGiven(property.value));
  };
  for (const { node } of inner) {
    if (node.type === 'FunctionDeclaration') own.push(ownName(node));
    if (node.type === 'VariableDeclarator' && node.init && isGiven(node.init)) own.push(...namesIn(node.id));
  }
  const returned = inner.flatMap(({ node }) =>
    node.type === 'ReturnStatement' && node.argument ? [node.argument] : [],
  );
  return [...returned, (scope as { body: Node }).body].some(isGiven);
}

function functionName(node: Node, parent?: Node): string {
  return ownName(node) || (parent?.type === 'VariableDeclarator' ? namesIn(parent.id).join() : '');
}

function ownName(node: Node): string {
  return (node as { id?: { name: string } | null }).id?.name ?? '';
}

function isClass({ type }: Node): boolean {
  return type === 'ClassDeclaration' || type === 'ClassExpression';
}

function isFunction(node: Node | null): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node?.type ?? '');
}

function textOf({ start, end }: Node, text: string): string {
  return text.slice(start, end);
}

/** All nodes of a tree, each with those around it, the outermost first. */
function nodesIn(root: Node | Node[]): { node: Node; above: Node[] }[] {
  const nodes: { node: Node; above: Node[] }[] = [];
  const visit = (value: unknown, above: Node[]): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, above);
    else if (typeof value === 'object' && value !== null && 'type' in value) {
      const node = value as Node;
      nodes.push({ node, above });
      const around = [...above, node];
      for (const member of Object.values(node)) visit(member, around);
    }
  };
  visit(root, []);
  return nodes;
}
