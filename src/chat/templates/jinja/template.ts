import { Environment, parse, tokenize } from '@huggingface/jinja';
import { Arguments } from './arguments.ts';
import { hasFilter } from './filters.ts';
import { PythonInterpreter } from './interpreter.ts';
import { strftime } from './strftime.ts';
import { hasTest, testOf } from './tests.ts';
import { testsAsFilters } from './tests-with-arguments.ts';
import { callable, isMapping, mapping, toValue, type Value } from './values.ts';

/** A chat template, parsed. */
export class ChatTemplate {
  readonly #program: ReturnType<typeof parse>;
  /** Every name the template reads, including its own variables. */
  readonly names: ReadonlySet<string>;
  /** Whether it loops over the parts of a message's content, so that parts must stay parts. */
  readonly readsContentParts: boolean;

  constructor(source: string) {
    this.#program = parse(testsAsFilters(tokenize(source, { lstrip_blocks: true, trim_blocks: true })));
    const nodes = nodesOf(this.#program);
    rejectUnknownNames(nodes);
    this.names = new Set(nodes.filter((node) => node.type === 'Identifier').map((node) => String(node.value)));
    this.readsContentParts = loopsOverContent(nodes);
  }

  /** Renders as Python's Jinja would; throws any error with its reason. */
  render(variables: Record<string, unknown>, now: Date): string {
    const environment = new Environment();
    const globals = { ...constants, range: cappedRange, raise_exception: raise };
    const all = { ...globals, strftime_now: (format: unknown) => strftime(now, String(format)), ...variables };
    for (const [name, value] of Object.entries(all)) environment.setVariable(name, toValue(value) as never);
    if (!('dict' in variables)) environment.setVariable('dict', callable(dict) as never);
    return new PythonInterpreter(environment).run(this.#program).value as string;
  }
}

export const constants = { true: true, false: false, none: null, True: true, False: false, None: null };

/** The number of values that Python's sandbox allows. */
const rangeMax = 100_000;

export function cappedRange(start: number, stop?: number, step = 1): number[] {
  if (stop === undefined) [start, stop] = [0, start];
  if (step === 0) throw new Error('range() must not have the step 0');
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (count > rangeMax) throw new Error(`range() is limited to ${rangeMax} numbers, got ${count}`);
  return Array.from({ length: count }, (_, index) => start + index * step);
}

function raise(message: unknown): never {
  throw new Error(String(message));
}

/** `dict(mapping, name=value)`. */
function dict(values: Value[]): Value {
  const { positional, named } = Arguments.of(values);
  const entries = positional.flatMap((value) => (isMapping(value) ? [...value.value] : []));
  return mapping([...entries, ...named]);
}

type Node = { type: string } & Record<string, unknown>;

export function nodesOf(root: unknown): Node[] {
  const nodes: Node[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
    } else if (value instanceof Map) {
      for (const [key, item] of value) [key, item].map(visit);
    } else if (typeof value === 'object' && value !== null) {
      if (typeof (value as Node).type === 'string') nodes.push(value as Node);
      for (const inner of Object.values(value)) visit(inner);
    }
  };
  visit(root);
  return nodes;
}

/** Python does the same when it compiles a template. */
export function rejectUnknownNames(nodes: readonly Node[]): void {
  for (const node of nodes) {
    const isFilter = node.type === 'FilterExpression' || node.type === 'FilterStatement';
    const name = isFilter
      ? nameOfFilter(node.filter as Node)
      : node.type === 'TestExpression'
        ? nameOf(node.test)
        : null;
    if (name === null) continue;
    const tested = isFilter ? testOf(name) : { name };
    if (tested && !hasTest(tested.name)) throw new Error(`No test named '${tested.name}'.`);
    if (!tested && !hasFilter(name)) throw new Error(`No filter named '${name}'.`);
  }
}

function nameOfFilter(filter: Node): string {
  return filter.type === 'CallExpression' ? nameOf(filter.callee) : nameOf(filter);
}

function nameOf(identifier: unknown): string {
  return String((identifier as Node).value);
}

/** `for part in message.content`, with filters, or over a variable that was set to it. */
function loopsOverContent(nodes: readonly Node[]): boolean {
  const isContent = (node: unknown): boolean => {
    const { type, object, property, operand, lhs, value } = (node ?? {}) as Node;
    if (type === 'MemberExpression')
      return (property as Node)?.value === 'content' && (object as Node)?.type !== 'CallExpression';
    if (type === 'FilterExpression') return isContent(operand);
    if (type === 'SelectExpression') return isContent(lhs);
    return type === 'Identifier' && copies.has(String(value));
  };
  const copies = new Set<string>();
  for (const node of nodes) {
    const assignee = node.assignee as Node | undefined;
    if (node.type === 'Set' && assignee?.type === 'Identifier' && isContent(node.value))
      copies.add(String(assignee.value));
  }
  return nodes.some((node) => node.type === 'For' && isContent(node.iterable));
}
