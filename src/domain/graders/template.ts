import { isObject, ownMember } from '../../util/json/own-member.ts';
import { toJson } from '../../util/json/write.ts';
import { GradeError } from './grade-error.ts';

/** The variables of templates: `{{ item.question }}`, `{{ sample.output_text }}`. */
export type Namespaces = { item: Record<string, unknown>; sample: Record<string, unknown> };

/**
 * Replaces each `{{ namespace.path }}` of a template with its value. Values that are not strings become JSON.
 * @throws GradeError if a variable has no value, or the values are too long
 */
export function fillTemplate(template: string, namespaces: Namespaces): string {
  let characters = 0;
  return template.replace(placeholders, (_, path: string) => {
    const value = lookUp(path, namespaces);
    const text = typeof value === 'string' ? value : toJson(value);
    characters += text.length;
    if (characters > charactersMax) throw new GradeError('invalid_variable_error', tooLong);
    return text;
  });
}

/** A template may repeat a long variable. */
const charactersMax = 16 * 1024 * 1024;
const tooLong = `The values of the variables of a template have more than ${charactersMax} characters.`;

/** The value of a path such as `item.messages`. @throws GradeError if there is none */
export function lookUp(path: string, namespaces: Namespaces): unknown {
  const steps = stepsOf(path);
  if (steps === null) throw new GradeError('invalid_variable_error', invalid(path));
  let value: unknown = namespaces;
  for (const step of steps) {
    const member = ownMember(value, step);
    if (member === undefined) throw missing(path, step, value);
    value = member;
  }
  return value;
}

/** What is wrong with a template, whatever its variables are; null if nothing is. */
export function templateFault(template: string): string | null {
  for (const [, path] of template.matchAll(placeholders)) {
    if (stepsOf(path!) === null) return invalid(path!);
  }
  return null;
}

const placeholders = /\{\{([^{}]*)\}\}/g;

/** The members that a path goes through; null if it is not a path below `item` or `sample`. */
function stepsOf(path: string): string[] | null {
  const [whole, namespace, rest = ''] =
    /^(item|sample)((?:\.[\p{L}\p{N}_$-]+|\[\d+\]|\["[^"\]]*"\]|\['[^'\]]*'\])*)$/u.exec(path.trim()) ?? [];
  if (whole === undefined) return null;
  const steps = rest.matchAll(/\.([^.[]+)|\[(\d+)\]|\["([^"]*)"\]|\['([^']*)'\]/g);
  return [namespace!, ...[...steps].map(([, ...groups]) => groups.find((group) => group !== undefined)!)];
}

function invalid(path: string): string {
  return `{{${path.slice(0, 200)}}} is not a variable: expected a name below item or sample, such as {{ item.answer }} or {{ sample.output_text }}.`;
}

function missing(path: string, step: string, value: unknown): GradeError {
  if (path.trim().startsWith('sample.output_json') && step === 'output_json') {
    return new GradeError('sample_parse_error', `{{ ${path.trim()} }} has no value: the output is not JSON.`);
  }
  const names = isObject(value) ? Object.keys(value).sort().slice(0, 20).join(', ') || 'no variables' : null;
  const found = names === null ? '' : ` There are: ${names.slice(0, 500)}.`;
  const message = `The variable {{ ${path.trim()} }} has no value: there is no "${step}".${found}`;
  return new GradeError('invalid_variable_error', message);
}
