import type { Context } from '../../context.ts';
import type * as contract from '../../contract/files/create.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { readUpload } from '../../http/multipart.ts';
import { invalidField } from '../../util/failures.ts';

/** An upload is followed from its first byte: a reader may ask for the file before its last. */
export function fileCreate(context: Context): Handler<typeof contract.fileCreate> {
  return (input) => context.services.files.track(storeFile(context, input));
}

async function storeFile(
  { identity, services: { files } }: Context,
  { raw, caller }: Input<typeof contract.fileCreate>,
) {
  const { fields, file } = await readUpload(raw, { required: ['project_id'], optional: ['expected_digest'] });
  if (file.name.includes('\0')) throw invalidField('file', 'The file name should not contain the character U+0000');
  const projectId = await identity.projectForWrite(caller, fields.project_id!); // required, so it is there
  return files.store({ projectId, ...file, expectedDigest: fields.expected_digest });
}
