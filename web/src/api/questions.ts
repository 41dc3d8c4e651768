import { queryOptions } from '@tanstack/react-query';
import { numberOf, recordOf, writeJson } from '../format/json.ts';
import { parseObjectRef, refOfObject } from '../refs.ts';
import { ask } from './client.ts';
import { orMissing } from './missing.ts';

/** A question to annotators: an `AnnotationSpec` of the SDKs. */
export type Question = { ref: string; name: string; title: string; description: string } & AnswerKind;

export type AnswerKind =
  | { kind: 'choice'; choices: Choice[] }
  | { kind: 'number'; isWhole: boolean; least: number | null; most: number | null }
  | { kind: 'text'; lengthMax: number | null }
  /** Any other JSON Schema. */
  | { kind: 'json' };

/** `key` is the digit that chooses it. */
export type Choice = { label: string; value: unknown; key: string | null };

/** The questions of a queue, by their refs; without those that were deleted. */
export function questionsQuery(projectId: string, refs: string[]) {
  return queryOptions({
    queryKey: ['questions', projectId, refs],
    queryFn: async ({ signal }) => {
      const { vals } = await ask('POST /refs/read_batch', { body: { refs } }, { signal });
      return refs.flatMap((ref, index) => questionOf(ref, vals[index]) ?? []);
    },
    enabled: refs.length > 0,
    staleTime: Number.POSITIVE_INFINITY, // a version never changes
  });
}

/** The newest versions of all questions of a project. */
export function allQuestionsQuery(projectId: string) {
  return queryOptions({
    queryKey: ['questions', projectId],
    queryFn: ({ signal }) => readQuestions(projectId, { signal }),
  });
}

async function readQuestions(projectId: string, options: { signal?: AbortSignal } = {}): Promise<Question[]> {
  const filter = { leaf_object_classes: ['AnnotationSpec'], latest_only: true };
  const body = { project_id: projectId, filter, limit: 200 };
  const { objs } = await orMissing(ask('POST /objs/query', { body }, options), { objs: [] });
  return objs.flatMap(({ object_id, digest, val }) => questionOf(refOfObject(projectId, object_id, digest), val) ?? []);
}

/** Publishes a question, and returns its ref. A question with the same title gets a new version. */
export async function publishQuestion(projectId: string, title: string, schema: object): Promise<string> {
  const name = newQuestionName(title.trim(), await readQuestions(projectId));
  const val = { name: title.trim(), field_schema: schema };
  const obj = { project_id: projectId, object_id: name, builtin_object_class: 'AnnotationSpec', val };
  const { digest } = await ask('POST /obj/create', { body: { obj } });
  return refOfObject(projectId, name, digest);
}

/** The name of the object of a question, which identifies its answers: questions that differ have names that differ. */
export function newQuestionName(title: string, questions: Pick<Question, 'name' | 'title'>[]): string {
  const known = questions.find((question) => question.title === title);
  if (known) return known.name;
  const words = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  const name = [...(words || 'question')].slice(0, nameMax).join('');
  const taken = new Set(questions.map((question) => question.name));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return free;
}

/** Names of objects have at most 128 characters. */
const nameMax = 100;

function questionOf(ref: string, value: unknown): Question | null {
  const name = parseObjectRef(ref)?.name;
  const spec = recordOf(value);
  if (name === undefined || value === null || value === undefined) return null;
  const title = typeof spec.name === 'string' && spec.name !== '' ? spec.name : name;
  const description = typeof spec.description === 'string' ? spec.description : '';
  return { ref, name, title, description, ...answerKindOf(recordOf(spec.field_schema)) };
}

/** How a value of a JSON Schema is asked for. */
function answerKindOf(schema: Record<string, unknown>): AnswerKind {
  const { type, minimum, maximum, maxLength } = schema;
  if (Array.isArray(schema.enum)) return { kind: 'choice', choices: schema.enum.map(choiceAt) };
  if (type === 'boolean') return { kind: 'choice', choices: [choiceAt(true, 0), choiceAt(false, 1)] };
  const [least, most] = [minimum, maximum].map((bound) => numberOf(bound));
  if (type === 'integer' && least != null && most != null && least >= 0 && most <= 9 && least <= most) {
    const values = Array.from(
      { length: Math.floor(most) - Math.ceil(least) + 1 },
      (_, step) => Math.ceil(least) + step,
    );
    return { kind: 'choice', choices: values.map((value) => ({ label: String(value), value, key: String(value) })) };
  }
  if (type === 'integer' || type === 'number')
    return { kind: 'number', isWhole: type === 'integer', least: least ?? null, most: most ?? null };
  if (type === 'string') return { kind: 'text', lengthMax: numberOf(maxLength) };
  return { kind: 'json' };
}

function choiceAt(value: unknown, index: number): Choice {
  const label = value === true ? 'Yes' : value === false ? 'No' : typeof value === 'string' ? value : writeJson(value);
  return { label, value, key: index < 9 ? String(index + 1) : null };
}
