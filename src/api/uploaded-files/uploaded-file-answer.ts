import { ApiError } from '../../contract/errors.ts';
import { openAiId, readOpenAiId } from '../../domain/openai-ids.ts';
import type { UploadedFile } from '../../services/uploaded-files.ts';

export function uploadedFileAnswer({ id, name, purpose, sizeBytes, createdAt, expiresAt }: UploadedFile) {
  return {
    id: openAiId('file-', id),
    object: 'file' as const,
    bytes: sizeBytes,
    created_at: seconds(createdAt),
    ...(expiresAt === null ? {} : { expires_at: seconds(expiresAt) }),
    filename: name,
    purpose,
    status: 'processed' as const,
    status_details: null,
  };
}

/** The id of a file in the store. @throws ApiError for a text that cannot be one */
export function readFileId(text: string, param = 'id'): string {
  const id = readOpenAiId('file-', text);
  if (id === null) throw new ApiError(404, `No such File object: ${text}`, { param });
  return id;
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
