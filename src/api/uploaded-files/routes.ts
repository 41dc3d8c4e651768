import type { Context } from '../../context.ts';
import { uploadedFileEndpoints } from '../../contract/uploaded-files/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { uploadedFileContent } from './content.ts';
import { uploadedFileCreate } from './create.ts';
import { uploadedFileDelete } from './delete.ts';
import { uploadedFileList } from './list.ts';
import { uploadedFileRead } from './read.ts';

export function uploadedFileRoutes(context: Context): Route[] {
  return routesOf(uploadedFileEndpoints, {
    uploadedFileCreate: uploadedFileCreate(context),
    uploadedFileList: uploadedFileList(context),
    uploadedFileRead: uploadedFileRead(context),
    uploadedFileContent: uploadedFileContent(context),
    uploadedFileDelete: uploadedFileDelete(context),
  });
}
