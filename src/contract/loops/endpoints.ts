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
