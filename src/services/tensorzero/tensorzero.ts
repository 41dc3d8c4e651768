import type { Deps } from '../deps.ts';
import type { Feedback } from '../feedback/feedback.ts';
import type { Objects } from '../objects/objects.ts';
import { type FeedbackRequest, giveFeedback } from './give-feedback.ts';
import { type InferDeps, type InferenceRequest, type StartedInference, startInference } from './infer.ts';
import { openSettingsReader } from './read-settings.ts';

/** What TensorZero's gateway does, with policies as functions (`decisions/0040-tensorzero.md`). Methods throw a `Failure`. */
export type TensorZero = {
  /** Resolves when the inference is accepted. */
  infer(request: InferenceRequest): Promise<StartedInference>;
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
    giveFeedback: (request) => giveFeedback({ ...deps, ...parts, settings }, request),
  };
}
