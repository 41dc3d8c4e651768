import type { JsonText } from '../../util/json/json-text.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';

/**
 * The values of resources as JSON text, as the SDKs write them. Their refs and digests refer to values stored earlier.
 */

const bases = ['Object', 'BaseModel'];
const ofClass = (name: string) => ({ _type: name, _class_name: name, _bases: bases });

type Described = { name: string; description: string | null };

export function opValue(fileDigest: string): string {
  return toJson({ _type: 'CustomWeaveType', weave_type: { type: 'Op' }, files: { 'obj.py': fileDigest } });
}

export function datasetValue({ rowsRef, ...described }: Described & { rowsRef: string }): string {
  return toJson({ ...ofClass('Dataset'), ...described, rows: rowsRef });
}

export function scorerValue(scorer: Described & { score: string; summarize: string }): string {
  return toJson({ ...ofClass('Scorer'), ...scorer, column_map: null });
}

/** Attributes (a JSON object) become members of the value and override others. */
export function modelValue(
  { fileDigest, ...described }: Described & { fileDigest: string },
  attributes: JsonText | null,
): string {
  return toJson({ ...ofClass('Model'), ...described, files: { 'obj.py': fileDigest }, ...membersOf(attributes) });
}

export type EvaluationFields = Described & {
  dataset: string;
  scorers: string[];
  trials: number;
  evaluation_name: string | null;
};

/** The digests of its ops. */
type EvaluationOps = { evaluate: string; predict_and_score: string; summarize: string };

export function evaluationValue(fields: EvaluationFields, ops: EvaluationOps, attributes: JsonText | null): string {
  const unset = { metadata: null, preprocess_model_input: null };
  return toJson({ ...ofClass('Evaluation'), ...fields, ...unset, ...ops, ...membersOf(attributes) });
}

/** The members of an object given as JSON text, each as its text. */
export function membersOf(text: JsonText | string | null): Record<string, JsonText> {
  if (text === null) return {};
  const parsed = parseJson(typeof text === 'string' ? text : text.text, { keep: { '*': true } });
  return isObject(parsed) ? (parsed as Record<string, JsonText>) : {};
}

/** The string at a member; null if it is not a string. */
export function stringAt(members: Record<string, JsonText>, name: string): string | null {
  const member = Object.hasOwn(members, name) ? members[name]! : null;
  return member?.kind === 'string' ? (JSON.parse(member.text) as string) : null;
}
