import { z } from 'zod';
import { text } from '../wire.ts';

export const path = '/v1/files';
export const group = 'Uploaded files';

export const uploadedFileParams = z.object({ file_id: text() });

/** What a file may be uploaded for. The server itself writes files for further purposes. */
export const uploadPurposes = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const;

/** A file as OpenAI's SDKs read it. */
export const uploadedFile = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.int(),
    /** Seconds since 1970. */
    created_at: z.int(),
    expires_at: z.int().optional(),
    filename: z.string(),
    purpose: z.string(),
    status: z.literal('processed'),
    status_details: z.null(),
  })
  .meta({ id: 'OpenAIFile' });
