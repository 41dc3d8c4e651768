import type { CompletionInputs } from '../../contract/completions/inputs.ts';
import { newId } from '../../contract/ids.ts';
import { unitOf } from '../../domain/policies/assign.ts';
import { invalidInput } from '../../util/failures.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { isObject } from '../../util/json/own-member.ts';
import type { Owner } from '../owner.ts';
import {
  assignmentOf,
  isVariantFault,
  type PolicyAssignment,
  recordedByPolicy,
} from '../policies/policy-assignment.ts';
import type { PolicyRequests } from '../policies/policy-requests.ts';
import type { ModelAnswer, ModelStream } from './model-answer.ts';
import type { CompletionRecord } from './record.ts';

type Asked = Owner & { inputs: CompletionInputs; signal: AbortSignal };

/** Asks a variant, with the messages of its prompt. */
type Ask<Answer> = (inputs: CompletionInputs, prompt: JsonText[]) => Promise<Answer>;

/** The answer of the assigned variant, or if it fails, of the incumbent. @throws Failure */
export async function completeByPolicy(
  policies: PolicyRequests,
  request: Asked,
  ask: Ask<ModelAnswer>,
): Promise<ModelAnswer> {
  const { answer, assignment } = await firstAnswer(policies, request, ask);
  return { ...answer, record: withAssignment(answer.record, assignment) };
}

/** The same, streamed. A variant that fails after its first chunk is not replaced. */
export async function streamByPolicy(
  policies: PolicyRequests,
  request: Asked,
  ask: Ask<ModelStream>,
): Promise<ModelStream> {
  const { answer, assignment } = await firstAnswer(policies, request, async (inputs, prompt) =>
    begun(await ask(inputs, prompt)),
  );
  return {
    chunks: (async function* () {
      try {
        yield* answer.chunks;
      } catch (error) {
        if (isVariantFault(error as Error)) assignment.failure ??= (error as Error).message;
        throw error;
      }
    })(),
    record: () => withAssignment(answer.record(), assignment),
  };
}

async function firstAnswer<Answer>(policies: PolicyRequests, request: Asked, ask: Ask<Answer>) {
  const { inputs, caller, project, signal } = request;
  const live = await policies.find(inputs.model, caller);
  if (live.project.id !== project.id) {
    throw invalidInput(
      `${live.name} is a policy of ${live.project.name}, not of ${project.name}, where this is recorded.`,
    );
  }
  const unit = unitOf({ threadId: null, user: inputs.user, requestId: newId() });
  const assignment = assignmentOf(live, live.assigner.assign(unit));
  const names = [...new Set([assignment.answeredBy, live.version.plan.incumbent])];
  for (const name of names) {
    try {
      const { variant, promptMessages } = await policies.resolve(live, name, caller);
      const answer = await ask({ ...inputs, model: variant.model }, promptMessages);
      assignment.answeredBy = name;
      return { answer, assignment };
    } catch (error) {
      if (signal.aborted || name === names.at(-1)) throw error;
      if (isVariantFault(error as Error)) assignment.failure ??= (error as Error).message;
    }
  }
  throw new Error('no variants');
}

/** Resolves when the first chunk has arrived. */
async function begun(stream: ModelStream): Promise<ModelStream> {
  const iterator = stream.chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* chunks() {
    let isOver = first.done === true;
    try {
      if (!isOver) yield first.value as string;
      while (!isOver) {
        const { done, value } = await iterator.next();
        isOver = done === true;
        if (!done) yield value;
      }
    } catch (error) {
      isOver = true;
      throw error;
    } finally {
      if (!isOver) await iterator.return?.();
    }
  }
  return { ...stream, chunks: chunks() };
}

function withAssignment(record: CompletionRecord, assignment: PolicyAssignment): CompletionRecord {
  const { heddle } = record.attributes;
  const more = { assignment: recordedByPolicy(assignment) };
  return { ...record, attributes: { ...record.attributes, heddle: { ...(isObject(heddle) ? heddle : {}), ...more } } };
}
