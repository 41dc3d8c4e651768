import { toJson } from '../../util/json/write.ts';

/** A template that cannot be filled in, with the reason. */
export class TemplateError extends Error {}

/**
 * Fills in a template like Python's `str.format`, with which the SDKs fill in prompts: `{name}`, `{name[key]}` and
 * `{name.key}` are replaced, `{{` and `}}` are braces. Values that are not strings become JSON.
 * @throws TemplateError
 */
function formatText(template: string, variables: Record<string, unknown>): string {
  return template.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (found, field: string | undefined) => {
    if (found === '{{') return '{';
    if (found === '}}') return '}';
    if (field === undefined)
      throw new TemplateError(`The template has a single "${found}". Write "${found}${found}" for a literal brace.`);
    return asText(lookUp(field, variables));
  });
}

function lookUp(field: string, variables: Record<string, unknown>): unknown {
  const [, name, path = ''] = /^([\p{L}_][\p{L}\p{N}_ -]*)((?:\.\w+|\[[^\]]+\])*)$/u.exec(field.trim()) ?? [];
  if (name === undefined) {
    throw new TemplateError(
      `The template has {${field}}, which is not a variable name. Write {{ and }} for literal braces.`,
    );
  }
  if (!Object.hasOwn(variables, name)) {
    const available = Object.keys(variables).sort().join(', ');
    throw new TemplateError(`Prompt template variable '${name}' not found. Available variables: ${available}`);
  }
  let value = variables[name];
  for (const [, member = '', key = ''] of path.matchAll(/\.(\w+)|\[([^\]]+)\]/g)) {
    const step = member || key;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      throw new TemplateError(`Prompt template variable '${field}' not found: there is no field '${step}'.`);
    }
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value ?? null);
}

/** Fills in every text of a message, also in lists of content parts. */
export function formatMessage(
  message: Record<string, unknown>,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  const formatted = Object.entries(message).map(([name, value]) => {
    if (typeof value === 'string') return [name, formatText(value, variables)];
    const isParts = Array.isArray(value) && value.every((part) => typeof part === 'object' && part !== null);
    return [name, isParts ? value.map((part) => formatMessage(part, variables)) : value];
  });
  return Object.fromEntries(formatted);
}
