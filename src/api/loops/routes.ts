import type { Context } from '../../context.ts';
import { loopEndpoints } from '../../contract/loops/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { loopChange } from './change.ts';
import { loopCreate } from './create.ts';
import { loopDelete } from './delete.ts';
import { loopList } from './list.ts';
import { loopPause, loopResume } from './pause.ts';
import { loopRead } from './read.ts';
import { loopAnswer, loopCancelTurn, loopStartTurn, loopUndoTurn } from './turns.ts';

export function loopRoutes(context: Context): Route[] {
  return routesOf(loopEndpoints, {
    loopCreate: loopCreate(context),
    loopList: loopList(context),
    loopRead: loopRead(context),
    loopChange: loopChange(context),
    loopPause: loopPause(context),
    loopResume: loopResume(context),
    loopDelete: loopDelete(context),
    loopStartTurn: loopStartTurn(context),
    loopAnswer: loopAnswer(context),
    loopCancelTurn: loopCancelTurn(context),
    loopUndoTurn: loopUndoTurn(context),
  });
}
