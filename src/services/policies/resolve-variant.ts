import type { ModelReference } from '../../chat/types.ts';
import { type ChatRequest, chatRequest } from '../../contract/chat/request.ts';
import { keepTreeOf } from '../../contract/keep-tree.ts';
import { validate } from '../../contract/validate.ts';
import { isPolicyName } from '../../domain/policies/name.ts';
import type { Variant } from '../../domain/policies/plan.ts';
import { formatRef, parseRef } from '../../domain/refs.ts';
import { invalidInput, notFound } from '../../util/failures.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { parseJson } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import { promptMessages } from '../completions/prompt-messages.ts';
import { readInputs } from '../completions/read-inputs.ts';
import type { ObjectReader } from '../completions/read-object.ts';
import { routeOf } from '../completions/route.ts';
import type { Deps } from '../deps.ts';
import { findArtifact, parseArtifactName } from '../models/artifact-model.ts';
import { findFineTunedModel } from '../models/fine-tuned-model.ts';
import type { ServedModels } from '../models/served-models.ts';
import type { Objects } from '../objects/objects.ts';
import type { Owner } from '../owner.ts';
import type { Secrets } from '../secrets/secrets.ts';

/** What a variant is at the moment. */
export type ResolvedVariant = {
  variant: Variant;
  /** Null for a model of a provider, whose address and key are looked up for each request. */
  model: ModelReference | null;
  /** The messages of its prompt, for a chat and as they were published. */
  messages: ChatRequest['messages'];
  promptMessages: JsonText[];
};

export type VariantParts = Pick<Deps, 'identity' | 'postgres'> & {
  /** Base models. */
  bases: Deps['models'];
  models: Pick<ServedModels, 'find' | 'names'>;
  objects: Objects;
  reader: ObjectReader;
  secrets: Secrets;
};

/** @throws Failure if the model or the prompt does not exist any more */
export async function resolveVariant(
  { models, reader }: Pick<VariantParts, 'models' | 'reader'>,
  variant: Variant,
  owner: Owner,
): Promise<ResolvedVariant> {
  const prompt = await promptMessages(reader, variant.prompt, owner);
  const model = isOfProvider(variant.model) ? null : await models.find(variant.model, owner.caller);
  return { variant, model, messages: messagesOf(prompt), promptMessages: prompt };
}

/** Names with these beginnings are never those of served models. */
function isOfProvider(model: string): boolean {
  return model.startsWith('custom::') || model.startsWith('weave:///');
}

/**
 * The same variant with a fixed checkpoint and a fixed version of its prompt: what a version of a policy means never changes.
 * @throws Failure if something does not exist, or is not in the project of the policy
 */
export async function pinVariant(parts: VariantParts, variant: Variant, owner: Owner): Promise<Variant> {
  const model = await pinModel(parts, variant, owner);
  const prompt = variant.prompt === null ? null : await pinPrompt(parts, variant.prompt, owner);
  const pinned = { ...variant, model, prompt };
  const resolved = await resolveVariant(parts, pinned, owner);
  if (resolved.model === null) await routeOf({ ...parts, objects: parts.reader }, readInputs({ model }), owner);
  return pinned;
}

async function pinModel(parts: VariantParts, { name, model }: Variant, { project, caller }: Owner): Promise<string> {
  const elsewhere = () =>
    invalidInput(`The model of ${name} must be in the project ${project.name}, which serves it to its members.`, {
      param: 'variants',
    });
  if (isPolicyName(model)) throw invalidInput(`${name} names a policy. Name a model.`, { param: 'variants' });
  const artifact = parseArtifactName(model);
  if (artifact !== null) {
    if (artifact.project !== project.name) throw elsewhere();
    const deps = { identity: parts.identity, postgres: parts.postgres, models: parts.bases };
    const { checkpoint } = await findArtifact(deps, caller, artifact);
    return `wandb-artifact:///${project.name}/${artifact.name}:step${checkpoint?.step ?? 0}`;
  }
  const tuned = await findFineTunedModel(parts, model, caller);
  if (tuned !== null && tuned.job.projectId !== project.id) throw elsewhere();
  return model;
}

/** A prompt is named as in completions: a ref, `name:version`, or its name. */
async function pinPrompt({ objects, identity }: VariantParts, word: string, { project, caller }: Owner) {
  const ref = parseRef(word);
  const missing = notFound(`Prompt ${word.slice(0, 300)} not found.`, { param: 'variants' });
  if (word.startsWith('weave://') && (ref?.kind !== 'object' || ref.steps.length > 0)) throw missing;
  const [name, version = 'latest'] = ref?.kind === 'object' ? [ref.name, ref.digest] : word.split(':');
  const projectName = ref === null ? project.name : `${ref.entity}/${ref.project}`;
  if (projectName !== project.name)
    throw invalidInput(`The prompt ${word.slice(0, 300)} must be in the project ${project.name}.`, {
      param: 'variants',
    });
  const projectId = await identity.projectForRead(caller, projectName);
  const key = { projectId, objectId: name!, kind: 'object' as const };
  const found = await objects.find(key, version, { caller, withValues: true });
  if (found?.value == null) throw missing;
  const [entity, ofEntity] = project.name.split('/') as [string, string];
  return formatRef({ entity, project: ofEntity, kind: 'object', name: name!, digest: found.digest, steps: [] });
}

/** @throws ValidationError for messages that no chat can have */
function messagesOf(prompt: JsonText[]): ChatRequest['messages'] {
  if (prompt.length === 0) return [];
  const text = toJson({ messages: prompt });
  return validate(chatRequest, parseJson(text, { keep: keepTreeOf(chatRequest) }), 'prompt').messages;
}
