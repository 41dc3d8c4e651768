import type { UntrustedTemplates } from '../../chat/templates/untrusted-templates.ts';
import type { Block, Input } from '../../domain/tensorzero/input.ts';
import { plainVariant, type TensorZeroSettings, type VariantSettings } from '../../domain/tensorzero/settings.ts';
import { isRefusal } from '../../util/failures.ts';
import { ownMember } from '../../util/json/own-member.ts';
import { toJson } from '../../util/json/write.ts';
import type { Owner } from '../owner.ts';
import { renderInput } from './render.ts';

/** An inference that TensorZero has answered. */
export type StoredInference = Owner & {
  /** Of the project; null if it has none. */
  settings: TensorZeroSettings | null;
  functionName: string;
  variantName: string;
  input: Input;
  signal: AbortSignal;
};

/** A variant may be gone by now, or its templates may be others: then arguments are written as JSON. */
export async function renderStored(templates: UntrustedTemplates, { input, signal, ...of }: StoredInference) {
  const { project, caller, settings } = of;
  const ofFunction = settings && ownMember(settings.functions, of.functionName);
  const variant = ownMember(ownMember(ofFunction, 'variants'), of.variantName) as VariantSettings | undefined;
  const requester = { tenant: [caller.userId, project.name] as const, signal };
  const rendering = { templates, requester, hasPrompt: false };
  if (variant !== undefined) {
    try {
      return await renderInput({ ...rendering, variant }, input);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return renderInput({ ...rendering, variant: plainVariant }, withoutTemplates(input));
}

function withoutTemplates({ system, messages }: Input): Input {
  return {
    system: system === null || typeof system === 'string' ? system : toJson(system),
    messages: messages.map(({ role, content }) => ({ role, content: content.map(asText) })),
  };
}

function asText(block: Block): Block {
  return block.type === 'template' ? { type: 'raw_text', text: toJson(block.arguments) } : block;
}
