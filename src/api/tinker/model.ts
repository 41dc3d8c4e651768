import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/model.ts';
import type { Handler } from '../../http/bind.ts';
import { invalidInput } from '../../util/failures.ts';
import { digestOfJson } from './digest.ts';

type Deps = Pick<Context, 'tinker'>;

const rankDefault = 32;

export function tinkerModelCreate({ tinker }: Deps): Handler<typeof contract.tinkerModelCreate> {
  return async ({ body, caller }) => {
    const { rank = rankDefault, alpha = 32, seed = null, train_mlp = true, train_attn = true } = body.lora_config ?? {};
    const refuse = (field: string, message: string) => {
      throw invalidInput(message, { param: field });
    };
    if (!train_mlp || !train_attn)
      refuse('lora_config', 'train_mlp and train_attn must be true: heddle trains attention and MLP layers together.');
    const optimizer = body.optimizer_config?.type ?? 'adamw';
    if (optimizer !== 'adamw') refuse('optimizer_config', `The optimizer ${optimizer} is not supported. Use adamw.`);
    const { run, requestId } = await tinker.createModel(
      caller,
      {
        sessionId: body.session_id,
        modelSeqId: body.model_seq_id,
        base: body.base_model,
        lora: { rank, alpha, seed },
        userMetadata: body.user_metadata,
      },
      digestOfJson(body),
    );
    return { request_id: requestId, model_id: run.spec.id };
  };
}

export function tinkerModelInfo({
  tinker,
  models,
}: Deps & Pick<Context, 'models'>): Handler<typeof contract.tinkerModelInfo> {
  return async ({ body, caller }) => {
    const run = tinker.sessions.run(caller, body.model_id);
    await run.opened();
    const { base, lora } = run.spec;
    const { architecture = 'unknown' } = (await models.find(base.name)) ?? {};
    return {
      type: 'get_info',
      model_data: { arch: architecture, model_name: base.name, tokenizer_id: base.name },
      model_id: body.model_id,
      is_lora: true,
      lora_rank: lora.rank,
      model_name: base.name,
    };
  };
}

export function tinkerModelUnload({ tinker }: Deps): Handler<typeof contract.tinkerModelUnload> {
  return async ({ body, caller }) => ({
    request_id: tinker.unload(caller, body.model_id),
    model_id: body.model_id,
  });
}
