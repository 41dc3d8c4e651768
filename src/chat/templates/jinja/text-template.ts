import { Environment, parse, tokenize } from '@huggingface/jinja';
import { Arguments } from './arguments.ts';
import { type Node, nameOf, PythonInterpreter, type Scope } from './interpreter.ts';
import { pythonJson } from './python-text.ts';
import { cappedRange, constants, nodesOf, rejectUnknownNames } from './template.ts';
import { testsAsFilters } from './tests-with-arguments.ts';
import { isList, isMapping, isText, isUndefined, numberText, text, toValue, type Value } from './values.ts';

/** A template of a prompt that renders as MiniJinja does, with its strict rule: a variable without a value is an error. */
export class TextTemplate {
  readonly #program: ReturnType<typeof parse>;

  /** @throws an error with its reason */
  constructor(source: string) {
    this.#program = parse(testsAsFilters(tokenize(source, { lstrip_blocks: false, trim_blocks: false })));
    rejectUnknownNames(nodesOf(this.#program));
  }

  /** @throws an error with its reason */
  render(variables: Record<string, unknown>): string {
    const environment = new Environment();
    const all = { ...constants, range: cappedRange, ...variables };
    for (const [name, value] of Object.entries(all)) environment.setVariable(name, toValue(value) as never);
    return new MiniJinjaInterpreter(environment).run(this.#program).value as string;
  }
}

class MiniJinjaInterpreter extends PythonInterpreter {
  override shown(value: Value, node: Node): string {
    if (isUndefined(value)) throw new Error(`${nameOf(node)} is undefined`);
    return isText(value) ? value.value : written(value);
  }

  override evaluate(node: Node | undefined, scope: Scope): Value {
    const read = node && { If: node.test, For: node.iterable }[node.type];
    if (read && isName(read) && isUndefined(this.evaluate(read, scope)))
      throw new Error(`${nameOf(read)} is undefined`);
    return super.evaluate(node, scope);
  }

  override applyFilter(operand: Value, filter: Node, scope: Scope): Value {
    const isCall = filter.type === 'CallExpression';
    const name: string = isCall ? filter.callee.value : filter.value;
    if (name !== 'tojson') return super.applyFilter(operand, filter, scope);
    const args = isCall ? new Arguments(...this.evaluateArguments(filter.args, scope)) : new Arguments([]);
    const wanted = args.get(0, 'indent')?.value;
    const indent = wanted === true ? 2 : typeof wanted === 'number' ? wanted : null;
    const json = pythonJson(operand, indent === null ? { separators: [',', ':'] } : { indent });
    return text(json.replace(/[<>&']/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`));
  }
}

/** A condition or a list that is a variable or a member of one. */
function isName({ type }: Node): boolean {
  return type === 'Identifier' || type === 'MemberExpression';
}

/** A value other than a string, and any value within another one. */
function written(value: Value): string {
  if (isText(value)) return JSON.stringify(value.value);
  if (value.type === 'NullValue') return 'none';
  if (value.type === 'BooleanValue') return String(value.value);
  if (value.type === 'IntegerValue' || value.type === 'FloatValue') return numberText(value);
  if (isList(value)) return `[${value.value.map(written).join(', ')}]`;
  if (isMapping(value))
    return `{${[...value.value].map(([key, item]) => `${JSON.stringify(key)}: ${written(item)}`).join(', ')}}`;
  return value.toString();
}
