import type { AnswerSchemas, CheckedAnswer } from '../../chat/structured/checks/answer-checks.ts';
import type { GenerationConfig } from '../../chat/tokenizer/generation-config.ts';
import type {
  ChatLimits,
  Embeddings,
  EmbeddingsHostRequest,
  HostRequest,
  TextHalfAnswer,
  TextHalfRequest,
} from '../../chat/types.ts';
import type { PreparedByServer } from './prepared.ts';

/** The text half that the servers of a model have, for models without files here and for messages with images. */
export type ServerText = {
  /** Resolves when the servers have made tokens of the prompt. Aborting the signal ends the request there. @throws Failure */
  generate(request: HostRequest, context: ServerTextContext, signal: AbortSignal): Promise<PreparedByServer>;
  /** Embeds all texts, or none. @throws Failure */
  embed(request: EmbeddingsHostRequest, signal: AbortSignal): Promise<Embeddings>;
  /** @throws Failure */
  textHalf(request: TextHalfRequest, signal: AbortSignal): Promise<TextHalfAnswer>;
};

export type ServerTextContext = {
  limits: ChatLimits;
  /** The defaults of the model; null without its files. */
  config: Pick<GenerationConfig, 'sampling' | 'maxNewTokens'> | null;
  /** The error in a finished answer. */
  fault(schemas: AnswerSchemas, answer: CheckedAnswer): Promise<Error | null>;
};
