import type { Context } from '../../context.ts';
import { trainedModelEndpoints } from '../../contract/trained-models/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { trainedModelCreate } from './create.ts';
import { trainedModelDelete } from './delete.ts';
import { trainedModelList } from './list.ts';
import { trainedModelLog } from './log.ts';
import { trainedModelRead } from './read.ts';

export function trainedModelRoutes(context: Context): Route[] {
  return routesOf(trainedModelEndpoints, {
    trainedModelCreate: trainedModelCreate(context),
    trainedModelList: trainedModelList(context),
    trainedModelRead: trainedModelRead(context),
    trainedModelDelete: trainedModelDelete(context),
    trainedModelLog: trainedModelLog(context),
  });
}
