import type { Context } from '../../context.ts';
import { conflict, invalidField } from '../../contract/errors.ts';
import type { fileCreate } from '../../contract/files/create.ts';
import { bytesDigest } from '../../domain/digest/digest.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { readUpload } from '../../http/multipart.ts';
import { fileKey } from '../../store/blobs/file-key.ts';
import { isSound } from '../../store/blobs/read-checked.ts';
import { hasFile } from '../../store/postgres/files/has-file.ts';
import { saveFile } from '../../store/postgres/files/save-file.ts';
import type { Uploads } from '../../services/files/uploads.ts';

export function createFile(context: Stores, uploads: Uploads): Handler<typeof fileCreate> {
  return (input) => uploads.track(storeFile(context, input));
}

type Stores = Pick<Context, 'identity' | 'postgres' | 'blobs'>;

async function storeFile({ identity, postgres, blobs }: Stores, { raw, caller }: Input<typeof fileCreate>) {
  const { fields, file } = await readUpload(raw, { required: ['project_id'], optional: ['expected_digest'] });
  if (file.name.includes('\0')) throw invalidField('file', 'The file name should not contain the character U+0000');
  const projectId = await identity.projectForWrite(caller, fields.project_id!); // required, so it is there
  const digest = bytesDigest(file.bytes);
  const expected = fields.expected_digest;
  if (expected && expected !== digest) throw conflict(`Client file digest ${expected} != server digest ${digest}`);
  // The bytes first: a file that is recorded can be read. One that has been damaged since is repaired by its next upload.
  const key = fileKey(projectId, digest);
  const isStored = (await hasFile(postgres, projectId, digest)) && (await isSound(blobs, key, digest));
  if (!isStored) await blobs.put(key, file.bytes);
  await saveFile(postgres, { projectId, digest, name: file.name, sizeBytes: file.bytes.length });
  return { digest };
}
