import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type { fileContent } from '../../contract/files/content.ts';
import type { Handler } from '../../http/bind.ts';
import { hasFile } from '../../store/postgres/files/has-file.ts';
import { fileKey } from './file-key.ts';
import type { Uploads } from './uploads.ts';

export function readFileContent(
  { identity, postgres, blobs }: Pick<Context, 'identity' | 'postgres' | 'blobs'>,
  uploads: Uploads,
): Handler<typeof fileContent> {
  return async ({ body, caller }) => {
    const { digest } = body;
    const projectId = await identity.projectForRead(caller, body.project_id);
    const askedAt = performance.now();
    while (!(await hasFile(postgres, projectId, digest))) {
      if (!(await uploads.arrival(askedAt))) throw notFound(`File with digest ${digest} not found`);
    }
    const found = await blobs.get(fileKey(projectId, digest));
    if (found === null) throw new Error(`The bytes of a file are gone from the blob store (digest ${digest}).`);
    return found;
  };
}
