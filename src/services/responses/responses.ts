import { parseResponseId, type ResponsePlace } from '../../chat/responses/ids.ts';
import { recordedMarks, recordedRequest, recordedResponse, responseOpName } from '../../chat/responses/recorded.ts';
import { responseBody, unbegun } from '../../chat/responses/response-body.ts';
import type { InputItem } from '../../contract/responses/items.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import type { Caller } from '../../identity/identity.ts';
import { notFound } from '../../util/failures.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { itemsOf } from './items.ts';
import { resolveReferences } from './references.ts';
import type { StoredResponse } from './stored-response.ts';

/** Responses that clients may retrieve and continue. Each is the call that records it. */
export type Responses = {
  /** @throws Failure if there is none that the caller may read */
  find(caller: Caller, id: string): Promise<StoredResponse>;
  /** The input of a response: the conversation before it and its own input, each item with its id. */
  input(caller: Caller, stored: StoredResponse): Promise<InputItem[]>;
  /** The same, followed by its output. */
  conversation(caller: Caller, stored: StoredResponse): Promise<InputItem[]>;
  /** The items, with references replaced by the items of stored responses. @throws Failure if one is missing */
  resolve(caller: Caller, items: readonly InputItem[]): Promise<InputItem[]>;
  delete(stored: StoredResponse): Promise<void>;
};

/** The maximum number of responses in a conversation. */
export const conversationMax = 1000;

export function openResponses({ identity }: Pick<Deps, 'identity'>, calls: Calls): Responses {
  async function findAll(caller: Caller, ids: readonly string[]): Promise<StoredResponse[]> {
    const places = ids.map((id) => parseResponseId(id) ?? missing(id));
    const byProject = Map.groupBy(places, ({ projectId }) => projectId);
    const found = new Map<string, StoredResponse>();
    for (const [projectId, wanted] of byProject) {
      const project = await projectOf(caller, projectId);
      const answered = project === null ? [] : await calls.find(callIdsOf(wanted), { project });
      for (const { call } of answered) {
        const stored = storedResponse(call, project!);
        if (stored !== null) found.set(stored.id, stored);
      }
    }
    return ids.map((id) => found.get(id) ?? missing(id));
  }

  async function projectOf(caller: Caller, projectId: string): Promise<Project | null> {
    const name = await identity.readableProjectName(caller, projectId);
    return name === null ? null : { id: await identity.projectForRead(caller, name), name };
  }

  const resolve: Responses['resolve'] = (caller, items) => resolveReferences(items, (ids) => findAll(caller, ids));

  async function input(caller: Caller, stored: StoredResponse): Promise<InputItem[]> {
    const before = await findAll(caller, stored.earlier);
    const turns = before.map((each) => [...itemsOf(each), ...each.body.output]);
    return resolve(caller, [...turns.flat(), ...itemsOf(stored)] as InputItem[]);
  }

  return {
    find: async (caller, id) => (await findAll(caller, [id]))[0]!,
    resolve,
    input,
    conversation: async (caller, stored) => [...(await input(caller, stored)), ...(stored.body.output as InputItem[])],
    async delete({ project, callId }) {
      await calls.delete(project.id, [callId]);
    },
  };
}

type ResponseCall = Pick<
  FoundCall,
  'id' | 'opName' | 'attributes' | 'inputs' | 'output' | 'startedAt' | 'endedAt' | 'threadId'
>;

function callIdsOf(places: readonly ResponsePlace[]): string[] {
  return [...new Set(places.map(({ callId }) => callId))];
}

/** @returns null for calls that are not responses, or cannot be retrieved */
export function storedResponse(call: ResponseCall, project: Project): StoredResponse | null {
  if (call.opName !== responseOpName) return null;
  const marks = recordedMarks(call.attributes);
  const request = marks?.stored ? recordedRequest(call.inputs) : null;
  if (marks === null || request === null) return null;
  const { id, model, earlier } = marks;
  const createdAt = Math.floor(call.startedAt / 1_000_000);
  const head = { id, createdAt, body: request, model, isStored: true, sampling: null };
  const body =
    (call.endedAt === null ? null : recordedResponse(call.output)) ??
    responseBody(head, { ...unbegun, status: 'failed', error: 'The server stopped before the response was complete.' });
  return { id, callId: call.id, project, request, body, earlier, threadId: call.threadId || null };
}

function missing(id: string): never {
  throw notFound(`Response with id '${id.slice(0, 200)}' not found.`, { param: 'response_id' });
}
