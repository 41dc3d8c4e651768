import type { ResponseRequest } from '../../contract/responses/request.ts';
import type { ResponseBody } from '../../contract/responses/response.ts';
import type { Project } from '../owner.ts';

/** A response in the trace store. */
export type StoredResponse = {
  id: string;
  callId: string;
  project: Project;
  request: ResponseRequest;
  /** As it was sent. Without an end, it runs, or the server stopped before it was complete: then it is shown as failed. */
  body: ResponseBody;
  isEnded: boolean;
  /** The previous responses of its conversation, oldest first. */
  earlier: string[];
  threadId: string | null;
};
