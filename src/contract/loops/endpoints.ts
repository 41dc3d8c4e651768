import { loopChange } from './change.ts';
import { loopCreate } from './create.ts';
import { loopDelete } from './delete.ts';
import { loopList } from './list.ts';
import { loopPause, loopResume } from './pause.ts';
import { loopRead } from './read.ts';
import { loopAnswer, loopCancelTurn, loopStartTurn, loopUndoTurn } from './turns.ts';

/** The endpoints of this group, in the order of the documentation. `api/loops/routes.ts` has a handler for each. */
export const loopEndpoints = {
  loopCreate,
  loopList,
  loopRead,
  loopChange,
  loopPause,
  loopResume,
  loopDelete,
  loopStartTurn,
  loopAnswer,
  loopCancelTurn,
  loopUndoTurn,
};
