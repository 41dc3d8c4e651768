import { isChat, type TextGenerationRequest } from '../../chat/types.ts';
import { type UnitSource, unitOf } from '../../domain/policies/assign.ts';
import { parsePolicyName } from '../../domain/policies/name.ts';
import type { Variant } from '../../domain/policies/plan.ts';
import type { Caller } from '../../identity/identity.ts';
import { notFound, unacceptable } from '../../util/failures.ts';
import { type Answerer, ownAnswerer } from '../completions/own/answerer.ts';
import { modelAnswerer } from '../completions/own/model-answerer.ts';
import type { Candidates } from '../completions/own/opened-request.ts';
import type { Deps } from '../deps.ts';
import type { LivePolicies, LivePolicy } from './live-policies.ts';
import { assignmentOf, type PolicyAssignment } from './policy-assignment.ts';
import { type ResolvedVariant, resolveVariant, type VariantParts } from './resolve-variant.ts';
import type { Shadows } from './shadows.ts';

/** Requests that name a policy as their model. */
export type PolicyRequests = {
  /** @throws Failure if there is no such policy, or the caller may not use it */
  find(name: string, caller: Caller): Promise<LivePolicy>;
  /** Assigns a variant, and says who answers: the variant, or if it fails before its first token, the incumbent. */
  choose(
    live: LivePolicy,
    caller: Caller,
    source: UnitSource,
    bodyFor?: BodyFor,
  ): Promise<{ assignment: PolicyAssignment; candidates: Candidates }>;
  /** The one variant of this name, which nothing assigns. @throws Failure if there is none */
  pin(live: LivePolicy, variant: string, caller: Caller, bodyFor?: BodyFor): Candidates;
  /** A variant as it is at the moment. @throws Failure if something of it does not exist any more */
  resolve(live: LivePolicy, variant: string, caller: Caller): Promise<ResolvedVariant>;
};

/** What a variant gets instead of what was sent, before the messages of its prompt are added. */
type BodyFor = (variant: Variant, body: TextGenerationRequest['body']) => Promise<TextGenerationRequest['body']>;

type Parts = Pick<Deps, 'identity' | 'inference' | 'transport'> &
  Pick<VariantParts, 'models' | 'reader' | 'secrets'> & { live: LivePolicies; shadows: Shadows };

export function openPolicyRequests(parts: Parts): PolicyRequests {
  const { identity, inference, live: policies, shadows } = parts;

  async function resolve(live: LivePolicy, name: string, caller: Caller): Promise<ResolvedVariant> {
    const { resolved } = live;
    const known = resolved.get(name);
    if (known !== undefined) return known;
    const variant = variantOf(live, name);
    const found = await resolveVariant(parts, variant, { project: live.project, caller });
    resolved.set(name, found);
    return found;
  }

  async function openAnswerer(
    live: LivePolicy,
    name: string,
    caller: Caller,
    bodyFor: BodyFor | undefined,
  ): Promise<Answerer> {
    const { model, messages, variant } = await resolve(live, name, caller);
    const answerer =
      model === null
        ? await modelAnswerer(parts, variant.model, name, { project: live.project, caller })
        : ownAnswerer(inference, model, { variant: name });
    const prompted = withMessages(answerer, messages);
    return bodyFor === undefined ? prompted : withBody(prompted, (body) => bodyFor(variant, body));
  }

  return {
    resolve,
    async find(name, caller) {
      const parsed = parsePolicyName(name);
      if (parsed === null)
        throw notFound(`${name.slice(0, 300)} is not of the form policy:///ENTITY/PROJECT/NAME.`, { param: 'model' });
      const id = await identity.projectForRead(caller, parsed.project);
      const live = await policies.find({ id, name: parsed.project }, parsed.name);
      if (live === null)
        throw notFound(`The project ${parsed.project} has no policy ${parsed.name}.`, { param: 'model' });
      return live;
    },
    pin(live, name, caller, bodyFor) {
      const variant = live.version.plan.variants.find((each) => each.name === name);
      if (variant === undefined) throw notFound(`Unknown variant: ${name.slice(0, 200)}`, { param: 'variant_name' });
      const open = () => openAnswerer(live, name, caller, bodyFor);
      return { first: unopened(name, variant.model), inOrder: [{ name, open }] };
    },
    async choose(live, caller, source, bodyFor) {
      const { incumbent, traffic } = live.version.plan;
      const assigned = live.assigner.assign(unitOf(source));
      const names = [...new Set([assigned.variant.name, incumbent])];
      const inOrder = names.map((name) => ({ name, open: () => openAnswerer(live, name, caller, bodyFor) }));
      const shadow = traffic.kind === 'shadow' && shadows.chooses(traffic.share) ? traffic : null;
      return {
        assignment: assignmentOf(live, assigned),
        candidates: {
          first: unopened(assigned.variant.name, assigned.variant.model),
          inOrder,
          ...(shadow && {
            answered: (sent) =>
              shadows.start({
                live,
                traffic: shadow,
                sent,
                caller,
                open: () => openAnswerer(live, shadow.candidate, caller, undefined),
                ...(bodyFor && { bodyFor: (body) => bodyFor(variantOf(live, shadow.candidate), body) }),
              }),
          }),
        },
      };
    },
  };
}

function variantOf({ version }: LivePolicy, name: string): Variant {
  return version.plan.variants.find((each) => each.name === name)!;
}

/** Each variant may be sent something else. */
function withBody(
  answerer: Answerer,
  bodyOf: (body: TextGenerationRequest['body']) => Promise<TextGenerationRequest['body']>,
): Answerer {
  return {
    ...answerer,
    generate: async (request, signal) =>
      answerer.generate(
        { ...request, body: { ...(await bodyOf(request.body)), priority: request.body.priority } },
        signal,
      ),
  };
}

/** What is known of a variant before it is opened. */
function unopened(variant: string, model: string): Answerer {
  return {
    ...{ variant, isForTraining: false, model: { id: '', name: model, adapter: null } },
    generate: async () => {
      throw new Error('The variant is not opened.');
    },
  };
}

/** A prompt comes before the messages of a chat; other requests have no place for one. */
function withMessages(answerer: Answerer, messages: ResolvedVariant['messages']): Answerer {
  if (messages.length === 0) return answerer;
  return {
    ...answerer,
    async generate({ body, ...request }, signal) {
      if (!isChat(body))
        throw unacceptable(`The variant ${answerer.variant} has a prompt, which only chats can begin with.`);
      return answerer.generate({ ...request, body: { ...body, messages: [...messages, ...body.messages] } }, signal);
    },
  };
}
