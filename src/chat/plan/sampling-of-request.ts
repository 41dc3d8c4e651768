import type { GenerationFields } from '../../contract/chat/generation-fields.ts';
import type { SamplingParameters } from '../../engine/sampling/parameters.ts';
import type { ChatLimits, TextGenerationRequest } from '../types.ts';
import { checkBeamFields, checkBeamWidth } from './beam-fields.ts';
import { checkChoices, type SamplingDefaults, type SamplingValues, samplingValues } from './sampling-values.ts';
import { allowedTokenIdsOf, logitBiasOf } from './token-constraints.ts';

/** Everything that a token is drawn with, except what needs a tokenizer. */
export type DrawingParameters = Omit<SamplingParameters, 'seed' | 'badWords' | 'endTokenIds'>;

/** The values of a request, checked together. @param defaults the model's @throws Failure */
export function samplingOfRequest(
  { body, usesNeutralSampling }: TextGenerationRequest,
  defaults: SamplingDefaults,
  limits: Pick<ChatLimits, 'choicesMax'>,
): SamplingValues {
  const values = samplingValues(body, usesNeutralSampling ? {} : defaults, limits);
  checkChoices(values, body.use_beam_search);
  if (body.use_beam_search) {
    checkBeamWidth(values.n);
    checkBeamFields(body);
  }
  return values;
}

/** @param vocabSize infinite if it is not known @throws Failure for ids that are none */
export function drawingParametersOf(
  body: GenerationFields,
  values: SamplingValues,
  vocabSize: number,
): DrawingParameters {
  return {
    temperature: values.temperature,
    topP: values.top_p,
    topK: values.top_k,
    minP: values.min_p,
    frequencyPenalty: values.frequency_penalty,
    presencePenalty: values.presence_penalty,
    repetitionPenalty: values.repetition_penalty,
    logitBias: logitBiasOf(body.logit_bias, vocabSize),
    allowedTokenIds: allowedTokenIdsOf(body.allowed_token_ids, vocabSize),
    minTokens: body.min_tokens,
  };
}
