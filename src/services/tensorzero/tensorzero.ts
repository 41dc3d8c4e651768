import type { TensorZeroSettings } from '../../domain/tensorzero/settings.ts';
import type { Deps } from '../deps.ts';
import type { Feedback } from '../feedback/feedback.ts';
import type { Objects } from '../objects/objects.ts';
import type { Owner } from '../owner.ts';
import { type FeedbackRequest, giveFeedback } from './give-feedback.ts';
import { type InferDeps, type InferenceRequest, type StartedInference, startInference } from './infer.ts';
import { openSettingsReader } from './read-settings.ts';
import { renderStored, type StoredInference } from './render-stored.ts';

/** What TensorZero's gateway does, with policies as functions (`decisions/0040-tensorzero.md`). Methods throw a `Failure`. */
export type TensorZero = {
  /** Resolves when the inference is accepted. */
  infer(request: InferenceRequest): Promise<StartedInference>;
  /** The messages that a variant's model got, or would get by its templates; arguments without a template are JSON. */
  renderStored(inference: StoredInference): Promise<Record<string, unknown>[]>;
  /** The settings of a project; null if it has none. */
  settings(owner: Owner): Promise<TensorZeroSettings | null>;
  /** @returns the id of the feedback */
  giveFeedback(request: FeedbackRequest): Promise<string>;
};

export function openTensorZero(
  deps: Pick<Deps, 'inference' | 'transport' | 'laterCalls' | 'promptTemplates' | 'schemaChecks'>,
  parts: Omit<InferDeps, keyof Deps | 'settings' | 'templates' | 'checks'> & {
    calls: InferDeps['calls'];
    models: InferDeps['models'];
    objects: Objects;
    feedback: Feedback;
  },
): TensorZero {
  const settings = openSettingsReader(parts.objects);
  const { promptTemplates: templates, schemaChecks: checks } = deps;
  return {
    infer: (request) => startInference({ ...deps, ...parts, settings, templates, checks }, request),
    renderStored: (inference) => renderStored(templates, inference),
    settings: (owner) => settings.read(owner),
    giveFeedback: (request) => giveFeedback({ ...deps, ...parts, settings }, request),
  };
}
