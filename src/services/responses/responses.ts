import { parseResponseId, type ResponsePlace } from '../../chat/responses/ids.ts';
import { recordedMarks, recordedRequest, recordedResponse, responseOpName } from '../../chat/responses/recorded.ts';
import { responseBody, unbegun } from '../../chat/responses/response-body.ts';
import type { InputItem } from '../../contract/responses/items.ts';
import type { ResponseBody } from '../../contract/responses/response.ts';
import type { FoundCall } from '../../domain/calls/found-call.ts';
import type { Caller } from '../../identity/identity.ts';
import { openRunningResponses } from '../../store/postgres/responses/running-responses.ts';
import { notFound } from '../../util/failures.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { BackgroundResponses } from './background.ts';
import { itemsOf } from './items.ts';
import type { Recording } from './recording.ts';
import { resolveReferences } from './references.ts';
import type { StoredResponse } from './stored-response.ts';

/** Responses that clients may retrieve and continue. Each is the call that records it; those in the background also run. */
export type Responses = {
  /** A response as it is now, running or ended. @throws Failure if there is none that the caller may read */
  find(caller: Caller, id: string): Promise<StoredResponse>;
  /** The input of a response: the conversation before it and its own input, each item with its id. */
  input(caller: Caller, stored: Asked): Promise<InputItem[]>;
  /** The same, followed by its output. */
  conversation(caller: Caller, stored: StoredResponse): Promise<InputItem[]>;
  /** The items, with references replaced by the items of stored responses. @throws Failure if one is missing */
  resolve(caller: Caller, items: readonly InputItem[]): Promise<InputItem[]>;
  /**
   * Runs a response that no client waits for, and returns its beginning, which is stored.
   * @param stop cancels the generation @throws Failure if it cannot be stored
   */
  runInBackground(recording: Recording, stop: AbortController): Promise<ResponseBody>;
  /** Resolves when a response in the background has ended and is stored; at once if it does not run. */
  cancel(stored: StoredResponse): Promise<void>;
  /** Resolves when all responses in the background have ended and are stored. */
  ended(): Promise<void>;
  /** Deletes it; cancels it first if it runs. */
  delete(stored: StoredResponse): Promise<void>;
};

/** What a response was asked. */
type Asked = Pick<StoredResponse, 'id' | 'request' | 'earlier'>;

/** The maximum number of responses in a conversation. */
export const conversationMax = 1000;

export function openResponses(
  deps: Pick<Deps, 'identity' | 'draining' | 'peers' | 'postgres'>,
  calls: Calls,
): Responses {
  const { identity } = deps;
  const background = new BackgroundResponses({ ...deps, everywhere: openRunningResponses(deps.postgres) });

  async function find(caller: Caller, id: string): Promise<StoredResponse> {
    const read = async () => (await findAll(caller, [id]))[0]!;
    const wasRunning = background.bodyOf(id) !== null;
    const stored = await read();
    const body = background.bodyOf(id);
    if (body !== null) return { ...stored, body };
    if (wasRunning) return read(); // it ended while its start was read
    if (stored.isEnded) return stored;
    const runsElsewhere = await background.runsElsewhere(id);
    if (runsElsewhere === null) return stored;
    // Its end is stored before it counts as no longer running.
    return runsElsewhere ? { ...stored, body: { ...stored.body, status: 'in_progress', error: null } } : read();
  }

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

  async function input(caller: Caller, stored: Asked): Promise<InputItem[]> {
    const before = await findAll(caller, stored.earlier);
    const turns = before.map((each) => [...itemsOf(each), ...each.body.output]);
    return resolve(caller, [...turns.flat(), ...itemsOf(stored)] as InputItem[]);
  }

  return {
    find,
    resolve,
    input,
    conversation: async (caller, stored) => [...(await input(caller, stored)), ...(stored.body.output as InputItem[])],
    runInBackground: (recording, stop) => background.start(recording, stop),
    cancel: ({ id }) => background.cancel(id),
    ended: () => background.ended(),
    async delete({ id, project, callId }) {
      await background.cancel(id);
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
  return {
    id,
    callId: call.id,
    project,
    request,
    body,
    isEnded: call.endedAt !== null,
    earlier,
    threadId: call.threadId || null,
  };
}

function missing(id: string): never {
  throw notFound(`Response with id '${id.slice(0, 200)}' not found.`, { param: 'response_id' });
}
