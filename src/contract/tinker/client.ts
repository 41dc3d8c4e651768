import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, text } from '../wire.ts';
import { tinker } from './shared.ts';

const version = z.object({ sdk_version: text() });

const clientConfig = z
  .object({
    /** Chunks of one call are sent one after another, so that they arrive in order. */
    parallel_fwdbwd_chunks: z.boolean(),
    proto_compress_fwdbwd: z.boolean(),
    fwdbwd_max_chunk_len: int(),
    fwdbwd_max_chunk_bytes_count: int(),
    use_pyqwest_transport: z.boolean(),
    sample_use_retrieve_futures: z.boolean(),
    sample_join_sampling_session: z.boolean(),
    custom_loss_server_side: z.boolean(),
    pjwt_auth_enabled: z.boolean(),
    credential_default_source: z.string(),
    create_model_via_load_weights: z.boolean(),
  })
  .meta({ id: 'TinkerClientConfig' });

export const tinkerClientConfig = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/client/config',
  name: 'Configure Tinker Client',
  description: 'How a client of the Tinker API sends its requests; asked for once.',
  body: version,
  answer: { kind: 'json', schema: clientConfig },
});

export const tinkerClientDynamicConfig = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/client/dynamic_config',
  name: 'Reconfigure Tinker Client',
  description: 'The same for values that a client asks for again now and then.',
  body: version,
  answer: {
    kind: 'json',
    schema: z
      .object({ refresh_interval_sec: int(), sample_cancel_enabled: z.boolean(), sample_cancel_max_batch_size: int() })
      .meta({ id: 'TinkerDynamicConfig' }),
  },
});

export const tinkerClientHealth = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: '/api/v1/healthz',
  name: 'Check Tinker API',
  description: 'Whether the server answers.',
  open: true,
  answer: { kind: 'json', schema: z.object({ status: z.literal('ok') }).meta({ id: 'TinkerHealth' }) },
});

export const tinkerClientCapabilities = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: '/api/v1/get_server_capabilities',
  name: 'List Tinker Models',
  description: 'The base models that can be trained and sampled.',
  answer: {
    kind: 'json',
    schema: z
      .object({
        supported_models: z.array(
          z.object({
            model_name: z.string(),
            max_context_length: int(),
            trainable: z.boolean(),
            sampleable: z.boolean(),
          }),
        ),
      })
      .meta({ id: 'TinkerCapabilities' }),
  },
});

export const tinkerClientTelemetry = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/telemetry',
  name: 'Send Tinker Telemetry',
  description: 'Accepts what clients report of themselves. It is not read or kept.',
  body: z.looseObject({}),
  answer: { kind: 'json', schema: z.object({ status: z.literal('accepted') }).meta({ id: 'TinkerTelemetry' }) },
});
