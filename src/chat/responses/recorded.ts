import { z } from 'zod';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { type ResponseRequest, responseRequest } from '../../contract/responses/request.ts';
import { type ResponseBody, response } from '../../contract/responses/response.ts';
import { parseJson } from '../../util/json/parse.ts';

export const responseOpName = 'heddle.responses';

/** The contents of `attributes.heddle.response` in the call of a response. */
const marks = z.object({
  id: z.string(),
  /** Whether it may be retrieved and continued. */
  stored: z.boolean(),
  /** The previous responses of its conversation, oldest first. */
  earlier: z.array(z.string()),
});

export type ResponseMarks = z.output<typeof marks>;

const attributes = z.object({ heddle: z.object({ model: z.object({ name: z.string() }), response: marks }) });

/** The response of a call that this server recorded; null for calls that only look like one. */
export function recordedMarks(text: string): (ResponseMarks & { model: string }) | null {
  const found = attributes.safeParse(parseJson(text));
  if (!found.success) return null;
  const { model, response: own } = found.data.heddle;
  return { ...own, model: model.name };
}

const requestKeeps = keepTreeOf(responseRequest);
const responseKeeps = keepTreeOf(response);

export function recordedRequest(inputs: string): ResponseRequest | null {
  const found = responseRequest.safeParse(parseJson(inputs, requestKeeps === undefined ? {} : { keep: requestKeeps }));
  return found.success ? found.data : null;
}

/** Only the response, without the tokens that are recorded beside it. */
export function recordedResponse(output: string): ResponseBody | null {
  const found = response.safeParse(parseJson(output, responseKeeps === undefined ? {} : { keep: responseKeeps }));
  return found.success ? found.data : null;
}
