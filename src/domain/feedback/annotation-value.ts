import { LRUCache } from 'lru-cache';
import { Failure, invalidInput } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { withinTime } from '../../util/within-time.ts';
import { compileSchema, type JsonSchema } from '../json-schema.ts';

/** A stored annotation spec: its digest identifies its text. */
export type AnnotationSpec = { digest: string; text: string };

/** Validates the value of an annotation against its spec. @throws Failure */
export function checkAnnotationValue(payload: string, spec: AnnotationSpec, ref: string): void {
  const { value } = parsePlain(payload) as { value: unknown };
  const fault = inTime(() => checkOf(spec, ref)(value), ref);
  if (fault !== null) throw invalidInput(`Feedback payload does not match annotation spec: ${fault}`);
}

type Check = (value: unknown) => string | null;

/** Compiling takes milliseconds, and one spec gets many answers. */
const compiled = new LRUCache<string, Check>({ max: 200 });

function checkOf({ digest, text }: AnnotationSpec, ref: string): Check {
  const known = compiled.get(digest);
  if (known) return known;
  const schema = fieldSchema(text);
  if (schema === null) throw invalidInput(`annotation_ref ${ref} is not an AnnotationSpec`);
  const check = compileSchema(schema);
  compiled.set(digest, check);
  return check;
}

function fieldSchema(text: string): JsonSchema | null {
  const spec = parsePlain(text) as { _class_name?: unknown; _bases?: unknown; field_schema?: JsonSchema } | null;
  const names = [spec?._class_name, ...(Array.isArray(spec?._bases) ? spec._bases : [])];
  return names.includes('AnnotationSpec') ? (spec?.field_schema ?? {}) : null;
}

const timeoutMs = 250;

/** The schema comes from a user: its patterns may never finish, and its references may not exist. */
function inTime<Value>(check: () => Value, ref: string): Value {
  try {
    return withinTime(timeoutMs, check);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalidInput(`The schema of the annotation spec ${ref} cannot be used: ${reason}`);
  }
}
