import type { Context } from '../../context.ts';
import { scoreEndpoints } from '../../contract/scores/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { scoreCreate } from './create.ts';
import { scoreDelete } from './delete.ts';
import { scoreList } from './list.ts';
import { scoreRead } from './read.ts';

export function scoreRoutes(context: Context): Route[] {
  return routesOf(scoreEndpoints, {
    scoreCreate: scoreCreate(context),
    scoreRead: scoreRead(context),
    scoreList: scoreList(context),
    scoreDelete: scoreDelete(context),
  });
}
