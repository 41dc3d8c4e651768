import type { Context } from '../../context.ts';
import { ApiError, notFound } from '../../contract/errors.ts';
import type { fileContent } from '../../contract/files/content.ts';
import type { Handler } from '../../http/bind.ts';
import { fileKey } from '../../store/blobs/file-key.ts';
import { DamagedBlobError, readChecked } from '../../store/blobs/read-checked.ts';
import { hasFile } from '../../store/postgres/files/has-file.ts';
import type { Uploads } from '../../services/files/uploads.ts';

export function readFileContent(
  { identity, postgres, blobs, log }: Pick<Context, 'identity' | 'postgres' | 'blobs' | 'log'>,
  uploads: Uploads,
): Handler<typeof fileContent> {
  return async ({ body, caller }) => {
    const { digest } = body;
    const projectId = await identity.projectForRead(caller, body.project_id);
    const askedAt = performance.now();
    while (!(await hasFile(postgres, projectId, digest))) {
      if (!(await uploads.arrival(askedAt))) throw notFound(`File with digest ${digest} not found`);
    }
    try {
      return await readChecked(blobs, fileKey(projectId, digest), digest);
    } catch (error) {
      if (!(error instanceof DamagedBlobError)) throw error;
      log.error({ err: error }, 'a stored file is damaged');
      throw new ApiError(
        500,
        `The stored file ${digest} is damaged; the log of the server says more`,
        {},
        { cause: error },
      );
    }
  };
}
