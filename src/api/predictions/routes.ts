import type { Context } from '../../context.ts';
import { predictionEndpoints } from '../../contract/predictions/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { predictionCreate } from './create.ts';
import { predictionDelete } from './delete.ts';
import { predictionFinish } from './finish.ts';
import { predictionList } from './list.ts';
import { predictionRead } from './read.ts';

export function predictionRoutes(context: Context): Route[] {
  return routesOf(predictionEndpoints, {
    predictionCreate: predictionCreate(context),
    predictionRead: predictionRead(context),
    predictionList: predictionList(context),
    predictionFinish: predictionFinish(context),
    predictionDelete: predictionDelete(context),
  });
}
