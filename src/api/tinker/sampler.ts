import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/sampler.ts';
import type { Handler } from '../../http/bind.ts';

type Deps = Pick<Context, 'tinker'>;

export function tinkerSamplerCreate({ tinker }: Deps): Handler<typeof contract.tinkerSamplerCreate> {
  return async ({ body, caller }) => {
    const { session_id: sessionId, sampling_session_seq_id: number, base_model: base, model_path: path } = body;
    const { id } = await tinker.createSampler(caller, { sessionId, number, base, path });
    return { type: 'create_sampling_session', sampling_session_id: id };
  };
}

export function tinkerSamplerJoin({ tinker }: Deps): Handler<typeof contract.tinkerSamplerJoin> {
  return async ({ body, caller }) => {
    const { sampler } = tinker.sessions.sampler(caller, body.sampling_session_id);
    return { type: 'join_sampling_session', client_counter: sampler.clients++ };
  };
}

export function tinkerSampler({ tinker }: Deps): Handler<typeof contract.tinkerSampler> {
  return async ({ params, caller }) => {
    const { id, base, path } = tinker.sessions.sampler(caller, params.sampler_id).sampler;
    return { sampler_id: id, base_model: base, model_path: path };
  };
}
