import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type * as contract from '../../contract/tensorzero/inference.ts';
import type { InferenceBody } from '../../contract/tensorzero/inference.ts';
import { readInput } from '../../domain/tensorzero/input.ts';
import type { Handler } from '../../http/bind.ts';
import { EventStream, type JsonAnswer } from '../../http/send-events.ts';
import { ownerOf } from '../../services/owner.ts';
import type { InferenceRequest } from '../../services/tensorzero/infer.ts';
import { parseJson, parsePlain } from '../../util/json/parse.ts';
import { asApiError } from '../inference/generation-errors.ts';
import { inferenceFrames, wholeInference } from './answers.ts';
import { refuseFields } from './refuse-fields.ts';

export function tensorZeroInference({
  identity,
  services: { tensorZero },
}: Context): Handler<typeof contract.tensorZeroInference> {
  return async ({ params: { entity, project }, body, caller, raw, whenHungUp }) => {
    const asked = readBody(body);
    const owner = await ownerOf({ identity }, caller, `${entity}/${project}`, 'write');
    const refuse = asApiError(raw.log);
    const started = await tensorZero.infer({ ...owner, ...asked, signal: whenHungUp() }).catch(refuse);
    if (body.stream)
      return new EventStream(inferenceFrames(started, raw.log, { aggregates: body.include_aggregated_response }));
    return { body: await wholeInference(started).catch(refuse) } satisfies JsonAnswer;
  };
}

function readBody(body: InferenceBody): Omit<InferenceRequest, 'project' | 'caller' | 'signal'> {
  const { service_tier, thinking_budget_tokens, verbosity, ...parameters } = body.params?.chat_completion ?? {};
  const { provider_tools, credentials, extra_body, extra_headers, internal_dynamic_variant_config } = body;
  const { include_original_response, include_raw_response, include_raw_usage } = body;
  refuseFields(
    { provider_tools, credentials, extra_body, extra_headers, internal_dynamic_variant_config },
    {
      ...{ include_original_response, include_raw_response, include_raw_usage },
      ...{ service_tier, thinking_budget_tokens, verbosity },
    },
  );
  return {
    target: targetOf(body),
    input: readInput(parseJson(body.input.text, { keepsDigits: true })),
    sentInput: body.input,
    episodeId: body.episode_id,
    variantName: body.variant_name,
    isDryRun: body.dryrun === true,
    tags: body.namespace === null ? body.tags : { ...body.tags, 'tensorzero::namespace': body.namespace },
    parameters,
    tools: {
      allowed: body.allowed_tools,
      additional: body.additional_tools ?? [],
      choice: body.tool_choice,
      parallel: body.parallel_tool_calls,
    },
    outputSchema: body.output_schema === null ? null : parsePlain(body.output_schema.text),
  };
}

function targetOf({ function_name, model_name }: InferenceBody): InferenceRequest['target'] {
  if (function_name !== null && model_name === null) return { kind: 'function', name: function_name };
  if (model_name !== null && function_name === null) return { kind: 'model', name: model_name };
  throw badRequest('Exactly one of `function_name` or `model_name` must be provided.');
}
