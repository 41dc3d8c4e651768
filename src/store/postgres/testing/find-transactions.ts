import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, parseSync } from 'oxc-parser';

/** A function of this name runs the work of others in a transaction. */
const helper = 'inTransaction';

/** Each function of a folder that begins a transaction, as `its/file.ts name`. */
export function transactionsIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !others.test(file));
  return sources.sort().flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return /ransaction\(/.test(text) ? transactionsOf(text).map((name) => `${file} ${name}`) : [];
  });
}

/** Tests, what begins transactions for others, and copies, which are made while no server runs. */
const others = /\.test\.ts$|(^|\/)testing\/|^store\/postgres\/(copy|embedded|server)\//;

/** The functions of a source text that begin a transaction. */
export function transactionsOf(text: string): string[] {
  const found = new Set<string>();
  visit(parseSync('file.ts', text).program, [], (node, above) => {
    if (node.type !== 'CallExpression') return;
    const { callee } = node;
    const begins =
      (callee.type === 'MemberExpression' &&
        callee.property.type === 'Identifier' &&
        callee.property.name === 'transaction') ||
      (callee.type === 'Identifier' && callee.name === helper);
    const name = begins ? nameAround(above) : null;
    if (begins && name !== helper) found.add(name ?? 'the module');
  });
  return [...found];
}

/** The name of the innermost function that has one. */
function nameAround(above: Node[]): string | null {
  for (let i = above.length - 1; i >= 0; i--) {
    const [node, parent] = [above[i]!, above[i - 1]];
    if (node.type === 'FunctionDeclaration') return node.id!.name;
    if (node.type !== 'ArrowFunctionExpression' && node.type !== 'FunctionExpression') continue;
    if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
    if (parent?.type === 'Property' && parent.key.type === 'Identifier') return parent.key.name;
    if (parent?.type === 'MethodDefinition' && parent.key.type === 'Identifier') return parent.key.name;
  }
  return null;
}

function visit(value: unknown, above: Node[], see: (node: Node, above: Node[]) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, above, see);
  else if (typeof value === 'object' && value !== null && 'type' in value) {
    see(value as Node, above);
    const around = [...above, value as Node];
    for (const member of Object.values(value)) visit(member, around, see);
  }
}
