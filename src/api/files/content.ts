import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/files/content.ts';
import type { Handler } from '../../http/bind.ts';
import { DamagedBlobError } from '../../store/blobs/read-checked.ts';

export function fileContent({ identity, log, services: { files } }: Context): Handler<typeof contract.fileContent> {
  return async ({ body: { project_id: project, digest }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    try {
      return await files.read({ projectId, digest });
    } catch (error) {
      if (!(error instanceof DamagedBlobError)) throw error;
      log.error({ err: error }, 'a stored file is damaged');
      const reason = `The stored file ${digest} is damaged; the log of the server says more`;
      throw new ApiError(500, reason, {}, { cause: error });
    }
  };
}
