import { GatheredAnswer } from '../../chat/answers/answer.ts';
import { isChat, type TextGenerationRequest } from '../../chat/types.ts';
import { newId } from '../../contract/ids.ts';
import type { Traffic } from '../../domain/policies/plan.ts';
import type { Caller } from '../../identity/identity.ts';
import { addShadowTokens, shadowTokens } from '../../store/postgres/policies/policies.ts';
import { toJson } from '../../util/json/write.ts';
import type { Calls } from '../calls/calls.ts';
import { newModelCall } from '../completions/model-call.ts';
import type { Answerer } from '../completions/own/answerer.ts';
import type { SentRequest } from '../completions/own/opened-request.ts';
import { recordedChat } from '../completions/own/own-chat.ts';
import type { Deps } from '../deps.ts';
import type { LivePolicy } from './live-policies.ts';

const shadowOpName = 'heddle.shadow';

type Shadow = {
  live: LivePolicy;
  traffic: Extract<Traffic, { kind: 'shadow' }>;
  sent: SentRequest;
  caller: Caller;
  open(): Promise<Answerer>;
  /** What the candidate gets instead of what was sent. */
  bodyFor?(body: TextGenerationRequest['body']): Promise<TextGenerationRequest['body']>;
};

/** Answers of candidates that nobody sees. */
export type Shadows = {
  /** Whether a request is one of this share. */
  chooses(share: number): boolean;
  /** Asks the candidate the same, later and with the lowest priority. What fails is recorded, and nothing else happens. */
  start(shadow: Shadow): void;
};

/** Requests beyond these are not answered a second time. */
const runningMax = 1;
const waitingMax = 50;
/** After all requests of clients: smaller numbers come first. */
const lastPriority = 1_000_000;

/**
 * One process answers one request at a time for its candidates, so that they take little of what clients' requests need. Only chats are
 * answered again. Tools are offered as in the request, and calls of them are recorded; nothing runs them.
 */
export function openShadows(
  { postgres, draining }: Pick<Deps, 'postgres' | 'draining'>,
  calls: Pick<Calls, 'makeStart' | 'makeComplete' | 'record' | 'recordLater'>,
): Shadows {
  const waiting: Shadow[] = [];
  let running = 0;

  function next(): void {
    if (running >= runningMax || draining.aborted) return;
    const shadow = waiting.shift();
    if (shadow === undefined) return;
    running++;
    answer(shadow)
      .catch(() => {}) // a candidate that cannot be opened, or a store that is away
      .finally(() => {
        running--;
        next();
      });
  }

  async function answer({ live, traffic, sent, caller, open, bodyFor }: Shadow): Promise<void> {
    const { policy, version } = live;
    for (const each of sent.bodies) {
      if (!isChat(each)) continue;
      let body: TextGenerationRequest['body'] = each;
      if ((await shadowTokens(postgres, policy.id, new Date())) >= traffic.tokensPerDay) return;
      const call = newModelCall(calls, {
        ...{
          projectId: policy.projectId,
          userId: caller.userId,
          opName: shadowOpName,
          inputs: () => toJson(asked(body)),
        },
        ...(sent.call && { traceId: sent.call.traceId, parentId: sent.call.id }),
      });
      const of = { policy: live.name, policy_id: policy.id, version: version.number, variant: traffic.candidate };
      const shadow = { ...of, shadow_of: sent.call?.id ?? null };
      try {
        if (bodyFor !== undefined) body = await bodyFor(each);
        const answerer = await open();
        const { model } = answerer;
        const now = seconds();
        const request = { tenant: sent.tenant, body: { ...body, priority: lastPriority }, keepsLogprobs: false, now };
        const generation = await answerer.generate(request, draining);
        const gathered = new GatheredAnswer({
          id: `chatcmpl-${newId()}`,
          created: now,
          generation,
          callId: call.id,
        });
        let failure: Error | null = null;
        try {
          for await (const event of generation.events) gathered.take(event);
        } catch (error) {
          failure = error as Error;
        }
        const recorded = recordedChat(gathered, {
          ids: false,
          promptIds: false,
          logprobs: false,
          reasoning: true,
          training: false,
        });
        const { id, name, adapter } = model;
        const attributes = {
          heddle: { model: { id, name, adapter: adapter?.id ?? null }, shadow, ...recorded.attributes() },
        };
        const summary = { usage: { [name]: { requests: 1, ...recorded.usage } } };
        call.endLater(
          () => ({ output: toJson(recorded.output()), attributes, summary }),
          failure?.message ?? null,
          recorded.bytes,
        );
        await addShadowTokens(postgres, policy.id, new Date(), gathered.usage.total_tokens);
      } catch (error) {
        if (draining.aborted) return;
        const attributes = { heddle: { shadow } };
        call.endLater(() => ({ output: null, attributes, summary: {} }), (error as Error).message, 0);
      }
    }
  }

  return {
    chooses: (share) => Math.random() < share,
    start(shadow) {
      if (waiting.length >= waitingMax) return;
      waiting.push(shadow);
      setImmediate(next);
    },
  };
}

/** What was asked, without the fields that were not set. */
function asked(body: TextGenerationRequest['body']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
