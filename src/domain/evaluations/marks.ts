import { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import type { FoundCall } from '../calls/found-call.ts';
import { parseRef } from '../refs.ts';
import { membersOf, stringAt } from '../resources/values.ts';

/** The ops of evaluations, as the SDKs name them. */
export const evaluationOps = {
  evaluate: 'Evaluation.evaluate',
  predictAndScore: 'Evaluation.predict_and_score',
  summarize: 'Evaluation.summarize',
};

/** The name of an op without its ref. */
export function opLabel(opName: string): string {
  const ref = parseRef(opName);
  return ref?.kind === 'op' ? ref.name : opName;
}

/** Whether a call is a trial (one attempt of an evaluation at one row), from either SDK. */
export function isTrial({ opName }: Pick<FoundCall, 'opName'>): boolean {
  const label = opLabel(opName);
  return label === evaluationOps.predictAndScore || label === 'Evaluation.predictAndScore';
}

/** The string fields of a call's attribute `weave`; others are left out. */
export function readMarks({ attributes }: Pick<FoundCall, 'attributes'>): (name: string) => string | null {
  const weave = membersOf(membersOf(attributes).weave ?? null);
  return (name) => stringAt(weave, name);
}

/** Whether a call records a score: created by the scores endpoints or by an evaluation logger. */
function isScore({ attributes }: Pick<FoundCall, 'attributes'>): boolean {
  const members = membersOf(attributes);
  const meta = membersOf(members._weave_eval_meta ?? null);
  return stringAt(membersOf(members.weave ?? null), 'score') === 'true' || meta.score?.text === 'true';
}

/** The name of the object in a ref; null if it is not an object ref. */
export function objectName(ref: string): string | null {
  const parsed = parseRef(ref);
  return parsed?.kind === 'object' ? parsed.name : null;
}

/** The refs of the evaluated objects, as the server or an SDK recorded them on a root call; empty if there is none. */
export function evaluationOf(call: Payloads): string {
  const inputs = membersOf(call.inputs);
  return readMarks(call)('evaluation') ?? stringAt(inputs, 'self') ?? stringAt(inputs, 'this') ?? '';
}

/** The model's ref on a root call or a prediction; empty if there is none. */
export function modelOf(call: Payloads): string {
  const inputs = membersOf(call.inputs);
  return (
    readMarks(call)('model') ?? stringAt(inputs, 'model') ?? (isScore(call) ? null : stringAt(inputs, 'self')) ?? ''
  );
}

/** The ref of a scorer in its call: of an object, or of the op if the scorer is a function; empty if there is none. */
export function scorerOf(call: Payloads & Pick<FoundCall, 'opName'>): string {
  const known = readMarks(call)('scorer') ?? stringAt(membersOf(call.inputs), 'self');
  return known ?? (parseRef(call.opName)?.kind === 'op' ? call.opName : '');
}

/** The inputs of the model in a prediction. On an SDK's model call they are next to the model, not below `inputs`. */
export function inputsOf(call: Payloads): JsonText {
  const { self: _, ...members } = membersOf(call.inputs);
  return members.inputs?.kind === 'object' ? members.inputs : new JsonText(toJson(members));
}

export function outputOf({ output }: Pick<FoundCall, 'output'>): JsonText {
  return new JsonText(output || 'null');
}

/** The name of a score in a trial. */
export function scorerName(score: Pick<FoundCall, 'attributes' | 'opName'>): string {
  const scorer = readMarks(score)('scorer');
  return (scorer && objectName(scorer)) ?? opLabel(score.opName).replace(/\.score$/, '');
}

type Payloads = Pick<FoundCall, 'attributes' | 'inputs'>;
