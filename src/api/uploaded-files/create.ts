import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type { uploadedFileCreate as endpoint } from '../../contract/uploaded-files/create.ts';
import { uploadPurposes } from '../../contract/uploaded-files/uploaded-file.ts';
import { text } from '../../contract/wire.ts';
import type { Handler } from '../../http/bind.ts';
import { readStreamedUpload } from '../../http/multipart.ts';
import { ownerForWrite } from '../project.ts';
import { uploadedFileAnswer } from './uploaded-file-answer.ts';

const [anchor, seconds] = ['expires_after[anchor]', 'expires_after[seconds]'] as const;

/** The file may come before the fields that describe it, so it is stored first. */
export function uploadedFileCreate({
  identity,
  config,
  services: { uploadedFiles },
}: Pick<Context, 'identity' | 'config' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const projectId = (await ownerForWrite({ identity }, input)).project.id;
    const upload = await readStreamedUpload(input.raw, {
      fields: ['purpose', anchor, seconds],
      fileBytesMax: config.uploadMaxBytes,
      store: (bytes) => uploadedFiles.store(projectId, bytes),
      discard: (content) => uploadedFiles.discard(content),
      check: ({ name, fields }) => ({
        name: readName(name),
        purpose: readPurpose(fields.purpose),
        expiresAfterSeconds: readExpiry(fields[anchor], fields[seconds], fields.purpose),
      }),
    });
    const file = { ...upload.checked, createdBy: input.caller.userId };
    return uploadedFileAnswer(await uploadedFiles.list(upload.content, file));
  };
}

function readName(name: string): string {
  if (!text().safeParse(name).success || name.length > nameLengthMax) {
    throw invalid('file', `The file name should have at most ${nameLengthMax} characters, and no U+0000.`);
  }
  return name;
}

const nameLengthMax = 1024;

function readPurpose(purpose: string | null): string {
  const known: readonly string[] = uploadPurposes;
  if (purpose !== null && known.includes(purpose)) return purpose;
  const expected = known.map((each) => `'${each}'`).join(', ');
  throw invalid('purpose', `Invalid 'purpose': '${purpose ?? ''}' is not one of [${expected}].`);
}

const secondsMax = 30 * 86_400;

/** As OpenAI does, keeps files of batches for 30 days, and others until they are deleted. */
function readExpiry(from: string | null, after: string | null, purpose: string | null): number | null {
  if (from === null && after === null) return purpose === 'batch' ? secondsMax : null;
  if (from !== 'created_at') throw invalid('expires_after.anchor', "expires_after.anchor should be 'created_at'.");
  const number = /^\d{1,9}$/.test(after ?? '') ? Number(after) : 0;
  if (number < 3600 || number > secondsMax) {
    throw invalid('expires_after.seconds', 'expires_after.seconds should be an integer from 3600 to 2592000.');
  }
  return number;
}

function invalid(param: string, message: string): ApiError {
  return new ApiError(400, message, { param });
}
