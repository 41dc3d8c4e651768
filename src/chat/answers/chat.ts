import type { ChatRequest } from '../../contract/chat/request.ts';
import type { TextGeneration } from '../types.ts';
import type { Shown } from './shown.ts';

/** One request with its answer in progress. */
export type Chat = {
  id: string;
  /** Seconds since 1970. */
  created: number;
  body: Pick<ChatRequest, 'stream_options'>;
  generation: TextGeneration;
  shown: Shown;
  /** The call that records it; null if there is none. */
  callId: string | null;
};
