import { JsonDepthError, JsonSyntaxError } from '../util/json/errors.ts';
import { type LosslessJson, parseLossless, stringifyLossless } from '../util/json/lossless.ts';
import { mapStrings } from '../util/json/strings.ts';
import { pythonDumps } from './digest/canonical-json.ts';

/**
 * Clients name a project in a ref by entity and project; stored values, and the bytes that are hashed, use an internal
 * id that survives renames. Only whole string values are refs, never keys or parts of a sentence. JSON inside a string
 * is also converted and formatted as Python prints it, which clients' digests depend on.
 */

/** A request contains an internal project id that its caller may not use. */
export class UnreadableInternalRefError extends Error {
  constructor() {
    super('Encountered unexpected internal ref format.');
    this.name = 'UnreadableInternalRefError';
  }
}

/**
 * Input and output are minified JSON text. Refs to projects that `resolve` does not know, and strings that only look
 * like refs, stay unchanged; the caller must be able to read a ref that is already internal.
 */
export function toInternalRefs(
  text: string,
  resolve: (entity: string, project: string) => string | null,
  isReadable: (internalId: string) => boolean,
): string {
  const toInternal = (value: string) => {
    const [, entity, project, tail] = externalRef.exec(value) ?? [];
    const id = entity === undefined ? null : resolve(entity, project!);
    return id === null ? value : `${internalPrefix}${id}/${tail}`;
  };
  const checkInternal = (value: string) => {
    const [, id] = internalRef.exec(value) ?? [];
    if (id !== undefined && !isReadable(id)) throw new UnreadableInternalRefError();
    return value;
  };
  return convertRefs(text, { [externalPrefix]: toInternal, [internalPrefix]: checkInternal });
}

/** The inverse. The project of a ref is hidden if `resolve` returns null for it: `weave-private://///tail`. */
export function toExternalRefs(text: string, resolve: (internalId: string) => string | null): string {
  const toExternal = (value: string) => {
    const [, id, tail] = internalRef.exec(value) ?? [];
    if (id === undefined) return value;
    const project = resolve(id);
    return project === null ? `${privatePrefix}//${tail}` : `${externalPrefix}${project}/${tail}`;
  };
  return convertRefs(text, { [internalPrefix]: toExternal });
}

const externalPrefix = 'weave:///';
const internalPrefix = 'weave-trace-internal:///';
const privatePrefix = 'weave-private:///';
const externalRef = /^weave:\/\/\/([^/]*)\/([^/]*)\/(.*)$/s;
const internalRef = /^weave-trace-internal:\/\/\/([^/]*)\/(.*)$/s;

/** What to do with a string, by the prefix it starts with. */
type Conversions = Record<string, (value: string) => string>;

const jsonInJsonMax = 8;

function convertRefs(text: string, conversions: Conversions, level = 0): string {
  // Every prefix starts with this; for most strings this check is the only cost.
  if (!text.includes('weave')) return text;
  const prefixes = Object.keys(conversions);
  const convert = (value: string): string => {
    const prefix = prefixes.find((start) => value.startsWith(start));
    if (prefix !== undefined) return conversions[prefix]!(value);
    const mayHoldRefs = level < jsonInJsonMax && prefixes.some((part) => value.includes(part));
    return mayHoldRefs ? convertJsonInside(value, conversions, level + 1) : value;
  };
  return mapStrings(text, convert, { containing: 'weave' });
}

function convertJsonInside(value: string, conversions: Conversions, level: number): string {
  const tree = parseIfJson(value);
  if (tree === undefined) return value;
  const text = stringifyLossless(tree);
  const converted = convertRefs(text, conversions, level);
  return converted === text ? value : pythonDumps(parseLossless(converted));
}

function parseIfJson(text: string): LosslessJson | undefined {
  try {
    return parseLossless(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof JsonDepthError) return undefined;
    throw error;
  }
}
