import { ApiError } from '../../contract/errors.ts';
import type { InputItem } from '../../contract/responses/items.ts';
import type { Caller } from '../../identity/identity.ts';
import { conversationMax, type Responses } from '../../services/responses/responses.ts';
import { Failure } from '../../util/failures.ts';

/** The conversation that a request continues. */
type Previous = { items: InputItem[]; earlier: string[]; threadId: string | null };

/** @throws ApiError for a response that does not exist, is not complete, or ends a conversation of the maximum length */
export async function previousOf(responses: Responses, caller: Caller, id: string | null): Promise<Previous> {
  if (id === null) return { items: [], earlier: [], threadId: null };
  const stored = await responses.find(caller, id).catch(asPrevious);
  if (stored.body.status !== 'completed' && stored.body.status !== 'incomplete') {
    throw refused(400, `The response ${id} cannot be continued: its status is ${stored.body.status}.`);
  }
  if (stored.earlier.length >= conversationMax) {
    throw refused(
      400,
      `This conversation has ${conversationMax} responses, which is the most. Send its items as input.`,
    );
  }
  const items = await responses.conversation(caller, stored).catch(asPrevious);
  return { items, earlier: [...stored.earlier, id], threadId: stored.threadId };
}

function asPrevious(error: Error): never {
  if (!(error instanceof Failure) || error.kind !== 'notFound') throw error;
  throw refused(404, `Previous response not found. ${error.message}`);
}

function refused(status: number, message: string): ApiError {
  return new ApiError(status, message, { param: 'previous_response_id' });
}
