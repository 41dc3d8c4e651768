import { toJson } from '../../util/json/write.ts';
import { openTurn } from '../../util/turns.ts';

/** A group, with its trajectories one by one. */
type Group = { trajectories: Iterable<object> | AsyncIterable<object> };

/**
 * Groups as JSON lines: for each group, a line with everything except its trajectories, then a line for each
 * trajectory. Each line has the kind of its content as its only key, and messages and choices as they were sent.
 */
export async function* trajectoryLines(
  groups: Iterable<Group> | AsyncIterable<Group>,
  head: object = {},
): AsyncGenerator<Uint8Array> {
  const turn = openTurn();
  yield line({ head });
  for await (const { trajectories, ...group } of groups) {
    yield line({ group });
    for await (const trajectory of trajectories) {
      if (turn.isOver()) await turn.next();
      yield line({ trajectory });
    }
  }
}

function line(value: object): Uint8Array {
  return Buffer.from(`${toJson(value)}\n`);
}
