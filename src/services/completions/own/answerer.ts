import type { ModelReference, TextGeneration, TextGenerationRequest } from '../../../chat/types.ts';
import type { Inference } from '../../../inference/inference.ts';
import { isArtifact } from '../../models/artifact-model.ts';

/** What can answer a request. */
export type Answerer = {
  /** The name of the variant; null without a policy. */
  variant: string | null;
  model: ModelReference;
  /** Whether its answers are meant for training: they always have tokens and logprobs, and neutral sampling is the default. */
  isForTraining: boolean;
  /** Resolves when the request is accepted. @throws Failure */
  generate(request: Omit<TextGenerationRequest, 'usesNeutralSampling'>, signal: AbortSignal): Promise<TextGeneration>;
};

/** A model that heddle serves. */
export function ownAnswerer(
  inference: Pick<Inference, 'generate'>,
  model: ModelReference,
  { variant = null, isForTraining = isArtifact(model.name) }: { variant?: string | null; isForTraining?: boolean } = {},
): Answerer {
  return {
    ...{ variant, model, isForTraining },
    generate: (request, signal) =>
      inference.generate(
        model,
        { ...request, usesNeutralSampling: isForTraining, keepsLogprobs: request.keepsLogprobs || isForTraining },
        signal,
      ),
  };
}
