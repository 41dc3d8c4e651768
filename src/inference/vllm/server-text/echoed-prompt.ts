import type { EchoedToken } from '../../../chat/output/logprob-entries.ts';
import { echoedText } from '../../../chat/plan/prompt.ts';
import { isChat } from '../../../chat/types.ts';
import type { Asking } from './asking.ts';
import { echoedEntries } from './prompt-entries.ts';
import type { ServerChunk } from './server-chunk.ts';

type Echoed = { text: string | null; tokens: EchoedToken[] | null };

/** What `echo` puts before the answer: a message, the text as it was sent, or that of the ids that are used, with its logprobs. */
export async function echoedPrompt(
  { servers, request: { body }, plan, ask }: Asking,
  { promptIds, promptLogprobs }: Pick<ServerChunk, 'promptLogprobs'> & { promptIds: readonly number[] },
): Promise<Echoed> {
  if (isChat(body)) return { text: echoedText(body), tokens: null };
  if (!body.echo) return { text: null, tokens: null };
  const textOf = (tokens: readonly number[]) => servers.detokenize(ask({ tokens }));
  const isAsSent = typeof body.prompt === 'string' && body.truncate_prompt_tokens === null;
  const text = isAsSent ? (body.prompt as string) : await textOf(promptIds);
  const { echoed: top } = plan.promptLogprobs;
  if (top === null) return { text, tokens: null };
  const start = await textOf(promptIds.slice(0, 1));
  const first = text.startsWith(start) ? start : ''; // a special token that begins every text is not part of this one
  const asIds = body.return_tokens_as_token_ids === true;
  return { text, tokens: echoedEntries(promptLogprobs, promptIds, { top, first, asIds }) };
}
