import { uploadedFileContent } from './content.ts';
import { uploadedFileCreate } from './create.ts';
import { uploadedFileDelete } from './delete.ts';
import { uploadedFileList } from './list.ts';
import { uploadedFileRead } from './read.ts';

/** The endpoints of this group, in the order of the documentation. `api/uploaded-files/routes.ts` has a handler for each. */
export const uploadedFileEndpoints = {
  uploadedFileCreate,
  uploadedFileList,
  uploadedFileRead,
  uploadedFileContent,
  uploadedFileDelete,
};
