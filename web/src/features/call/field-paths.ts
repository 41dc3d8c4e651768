import { isContainer, type JsonPath, pathText } from '../../components/json/json-paths.ts';
import { parseJson } from '../../format/json.ts';

/** A path as queries, sorting and columns of calls name it: dots inside keys are escaped. */
export function fieldName(path: JsonPath): string {
  return path.map((step) => String(step).replaceAll('.', String.raw`\.`)).join('.');
}

/** The opposite of `fieldName`. A number may be a place in a list. */
export function pathOfField(field: string): JsonPath {
  const steps = field.split(/(?<!\\)\./).map((step) => step.replaceAll(String.raw`\.`, '.'));
  return steps.map((step, index) => (index > 0 && /^(0|[1-9]\d*)$/.test(step) ? Number(step) : step));
}

/** A field as the page shows it, and as the filter reads it. */
export function fieldText(field: string): string {
  return isFeedback(field) ? field : pathText(pathOfField(field));
}

/**
 * The field that a text means: one of those that are known if it is written like it, perhaps without escapes and quotes;
 * otherwise the text itself, in which keys may be quoted.
 */
export function typedField(text: string, known: string[]): string {
  const typed = text.trim();
  const found = known.find((field) => [field, fieldText(field), plain(field)].includes(typed));
  if (found !== undefined || isFeedback(typed)) return found ?? typed;
  return typed.replaceAll(bracketed, (whole, key: string | undefined, index: string | undefined) =>
    index === undefined ? keyStep(key!, whole) : `.${index}`,
  );
}

/** Whether a field, as it is named or shown, contains a text in any case. */
export function isFieldLike(field: string, text: string): boolean {
  const sought = text.toLowerCase();
  return [fieldText(field), plain(field)].some((each) => each.toLowerCase().includes(sought));
}

/** The value of a field; undefined if there is none. */
export function valueAt(document: object, field: string): unknown {
  return pathOfField(field).reduce<unknown>(
    (value, step) => (isContainer(value) && Object.hasOwn(value, step) ? Reflect.get(value, step) : undefined),
    document,
  );
}

function plain(field: string): string {
  return field.replaceAll(String.raw`\.`, '.');
}

/** Names of feedback are in brackets after a dot. */
function isFeedback(field: string): boolean {
  return field.startsWith('feedback.');
}

const bracketed = /\[(?:("(?:[^"\\]|\\.)*")|(\d+))\]/g;

function keyStep(quoted: string, otherwise: string): string {
  try {
    return `.${String(parseJson(quoted)).replaceAll('.', String.raw`\.`)}`;
  } catch {
    return otherwise;
  }
}
