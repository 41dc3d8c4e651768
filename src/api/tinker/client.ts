import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tinker/client.ts';
import type { Handler } from '../../http/bind.ts';

/** The families of base models whose architecture trains. */
const trainable = ['llama', 'mistral', 'qwen2', 'qwen3'];

/** Bodies of one pass, before compression. A client sends more in several. */
const passBytesMax = 5_000_000;

export function tinkerClientConfig(): Handler<typeof contract.tinkerClientConfig> {
  return async () => ({
    parallel_fwdbwd_chunks: false,
    proto_compress_fwdbwd: true,
    fwdbwd_max_chunk_len: 1024,
    fwdbwd_max_chunk_bytes_count: passBytesMax,
    use_pyqwest_transport: false,
    sample_use_retrieve_futures: false,
    sample_join_sampling_session: true,
    custom_loss_server_side: false,
    pjwt_auth_enabled: false,
    credential_default_source: 'api_key',
    create_model_via_load_weights: true,
  });
}

export function tinkerClientDynamicConfig(): Handler<typeof contract.tinkerClientDynamicConfig> {
  return async () => ({ refresh_interval_sec: 300, sample_cancel_enabled: true, sample_cancel_max_batch_size: 64 });
}

export function tinkerClientHealth(): Handler<typeof contract.tinkerClientHealth> {
  return async () => ({ status: 'ok' });
}

export function tinkerClientCapabilities({
  models,
}: Pick<Context, 'models'>): Handler<typeof contract.tinkerClientCapabilities> {
  return async () => {
    const bases = (await models.list()).filter(({ adapter }) => adapter === null);
    return {
      supported_models: bases.map(({ name, contextLength, family }) => ({
        model_name: name,
        max_context_length: contextLength,
        trainable: trainable.includes(family),
        sampleable: true,
      })),
    };
  };
}

export function tinkerClientTelemetry(): Handler<typeof contract.tinkerClientTelemetry> {
  return async () => ({ status: 'accepted' });
}
