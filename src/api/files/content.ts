import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/files/content.ts';
import type { Handler } from '../../http/bind.ts';
import { DamagedFileError } from '../../services/files/files.ts';

export function fileContent({ identity, log, services: { files } }: Context): Handler<typeof contract.fileContent> {
  return async ({ body: { project_id: project, digest }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    try {
      return await files.read({ projectId, digest });
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      log.error({ err: error }, 'a stored file is damaged');
      throw new ApiError(500, `${error.message}; see the server log`, {}, { cause: error });
    }
  };
}
