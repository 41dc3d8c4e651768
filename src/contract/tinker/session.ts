import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional, text } from '../wire.ts';
import { emptyAnswer, id, metadata, pageQuery, tinker } from './shared.ts';

export const tinkerSessionCreate = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/create_session',
  name: 'Create Tinker Session',
  description:
    'Opens a session, which holds the models in training and the samplers of one client. Its project is named by `project_id` or ' +
    "the header `X-Heddle-Project`, as `entity/project`; else it is the caller's default project. A session without a heartbeat " +
    'for five minutes ends, and the last states of its models are saved.',
  body: z.object({
    tags: z.array(text()).default([]),
    user_metadata: metadata,
    sdk_version: optional(text()),
    project_id: optional(text()),
    display_name: optional(text()),
  }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        type: z.literal('create_session'),
        session_id: z.string(),
        info_message: z.string().nullable(),
        warning_message: z.string().nullable(),
        error_message: z.string().nullable(),
      })
      .meta({ id: 'TinkerSessionCreated' }),
  },
});

export const tinkerSessionHeartbeat = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/session_heartbeat',
  name: 'Keep Tinker Session',
  description: 'Keeps a session open.',
  body: z.object({ session_id: id }),
  answer: {
    kind: 'json',
    schema: z.object({ type: z.literal('session_heartbeat') }).meta({ id: 'TinkerHeartbeat' }),
  },
});

const sessionParams = z.object({ session_id: id });

export const tinkerSessionFinish = defineEndpoint({
  ...tinker,
  method: 'POST',
  path: '/api/v1/sessions/{session_id}/finish',
  name: 'Finish Tinker Session',
  description: 'Ends a session. The last states of its models are saved as checkpoints.',
  params: sessionParams,
  body: z.looseObject({}),
  answer: { kind: 'json', schema: emptyAnswer },
});

export const tinkerSessionRead = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: '/api/v1/sessions/{session_id}',
  name: 'Read Tinker Session',
  description: 'The models in training and the samplers of a session that is open.',
  params: sessionParams,
  answer: {
    kind: 'json',
    schema: z
      .object({
        training_run_ids: z.array(z.string()),
        sampler_ids: z.array(z.string()),
        user_metadata: z.record(z.string(), z.unknown()).nullable(),
        display_name: z.string().nullable(),
      })
      .meta({ id: 'TinkerSession' }),
  },
});

export const tinkerSessionList = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: '/api/v1/sessions',
  name: 'List Tinker Sessions',
  description: "The caller's sessions that are open, the newest first.",
  query: pageQuery,
  answer: { kind: 'json', schema: z.object({ sessions: z.array(z.string()) }).meta({ id: 'TinkerSessions' }) },
});
