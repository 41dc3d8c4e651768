import { ebnfString } from '../ebnf.ts';

/** Part of a grammar. */
export type Expression =
  | { kind: 'text'; text: string }
  /** EBNF that always matches something, and the rules that it refers to. */
  | { kind: 'ebnf'; ebnf: string; rules: readonly string[] }
  | { kind: 'sequence'; parts: readonly Expression[] }
  | { kind: 'choice'; options: readonly Expression[] }
  | { kind: 'repeat'; body: Expression; min: number; max: number | null }
  | { kind: 'rule'; name: string };

export const nothing: Expression = { kind: 'choice', options: [] };
export const empty: Expression = { kind: 'sequence', parts: [] };
export const text = (written: string): Expression => ({ kind: 'text', text: written });
export const ebnf = (written: string, rules: string[] = []): Expression => ({ kind: 'ebnf', ebnf: written, rules });
export const sequence = (...parts: Expression[]): Expression => ({ kind: 'sequence', parts });
export const rule = (name: string): Expression => ({ kind: 'rule', name });
export const optional = (body: Expression): Expression => repeat(body, 0, 1);

export function choice(options: readonly Expression[]): Expression {
  return options.length === 1 ? options[0]! : { kind: 'choice', options };
}

export function repeat(body: Expression, min: number, max: number | null): Expression {
  return { kind: 'repeat', body, min, max };
}

/** The rules as EBNF, without rules that can never end; null if the root is one. */
export function writeGrammar(rules: ReadonlyMap<string, Expression>, root: string): string | null {
  const ending = rulesThatEnd(rules);
  if (!ending.has(root)) return null;
  const lines: string[] = [];
  const written = new Set<string>();
  const waiting = [root];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (written.has(name)) continue;
    written.add(name);
    const body = pruned(rules.get(name)!, ending)!;
    lines.push(`${name === root ? 'root' : name} ::= ${write(body)}`);
    waiting.push(...references(body));
  }
  return lines.join('\n');
}

/** The rules that match at least one finite text. */
function rulesThatEnd(rules: ReadonlyMap<string, Expression>): Set<string> {
  const ending = new Set<string>();
  const users = new Map<string, string[]>();
  for (const [name, body] of rules) {
    for (const used of references(body)) {
      const known = users.get(used);
      if (known) known.push(name);
      else users.set(used, [name]);
    }
  }
  const waiting = [...rules.keys()];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (ending.has(name) || !ends(rules.get(name)!, ending)) continue;
    ending.add(name);
    waiting.push(...(users.get(name) ?? []));
  }
  return ending;
}

function ends(body: Expression, ending: ReadonlySet<string>): boolean {
  switch (body.kind) {
    case 'sequence':
      return body.parts.every((part) => ends(part, ending));
    case 'choice':
      return body.options.some((option) => ends(option, ending));
    case 'repeat':
      return body.min === 0 || ends(body.body, ending);
    case 'rule':
      return ending.has(body.name);
    default:
      return true;
  }
}

/** Null if it matches nothing. */
function pruned(body: Expression, ending: ReadonlySet<string>): Expression | null {
  switch (body.kind) {
    case 'sequence': {
      const parts = body.parts.map((part) => pruned(part, ending));
      return parts.some((part) => part === null) ? null : { kind: 'sequence', parts: parts as Expression[] };
    }
    case 'choice': {
      const options = body.options.flatMap((option) => pruned(option, ending) ?? []);
      return options.length === 0 ? null : choice(options);
    }
    case 'repeat': {
      const inside = pruned(body.body, ending);
      if (inside === null) return body.min === 0 ? empty : null;
      return { ...body, body: inside };
    }
    case 'rule':
      return ending.has(body.name) ? body : null;
    default:
      return body;
  }
}

function references(body: Expression): string[] {
  switch (body.kind) {
    case 'sequence':
      return body.parts.flatMap(references);
    case 'choice':
      return body.options.flatMap(references);
    case 'repeat':
      return references(body.body);
    case 'rule':
      return [body.name];
    case 'ebnf':
      return [...body.rules];
    default:
      return [];
  }
}

function write(body: Expression): string {
  switch (body.kind) {
    case 'text':
      return ebnfString(body.text);
    case 'ebnf':
      return body.ebnf;
    case 'sequence':
      return body.parts.length === 0 ? '""' : body.parts.map(inSequence).join(' ');
    case 'choice':
      return body.options.map(write).join(' | ');
    case 'repeat':
      return `(${write(body.body)})${quantifier(body.min, body.max)}`;
    case 'rule':
      return body.name;
    default:
      return body satisfies never;
  }
}

function inSequence(body: Expression): string {
  return body.kind === 'choice' ? `(${write(body)})` : write(body);
}

function quantifier(min: number, max: number | null): string {
  if (max === null) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
}
