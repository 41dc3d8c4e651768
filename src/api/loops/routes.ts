import type { Context } from '../../context.ts';
import { loopEndpoints } from '../../contract/loops/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
import { loopAnswer } from './answer.ts';
import { loopCancelTurn } from './cancel-turn.ts';
import { loopChange } from './change.ts';
import { loopCreate } from './create.ts';
import { loopDelete } from './delete.ts';
import { loopList } from './list.ts';
import { loopPause } from './pause.ts';
import { loopRead } from './read.ts';
import { loopResume } from './resume.ts';
import { loopStartTurn } from './start-turn.ts';
import { loopUndoTurn } from './undo-turn.ts';

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
