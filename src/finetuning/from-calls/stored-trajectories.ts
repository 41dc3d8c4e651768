import type { Calls } from '../../services/calls/calls.ts';
import type { Project } from '../../services/owner.ts';
import { chatOfCall, hasLogprobs, historyOfChat } from './chat-of-call.ts';
import type { ChosenTrajectory, HasOwnTokens } from './choose-calls.ts';

/** Read from the store together. */
const trajectoriesTogether = 50;

type Source = { calls: Pick<Calls, 'find'>; project: Project; hasOwnTokens: HasOwnTokens };

/** The groups of a job, which are read from the store as they are consumed. */
export function* storedGroups(source: Source, groups: ChosenTrajectory[][]) {
  for (const chosen of groups) yield { trajectories: storedTrajectories(source, chosen) };
}

async function* storedTrajectories({ calls, project, hasOwnTokens }: Source, chosen: ChosenTrajectory[]) {
  for (let from = 0; from < chosen.length; from += trajectoriesTogether) {
    const together = chosen.slice(from, from + trajectoriesTogether);
    const found = await calls.find(
      together.flatMap(({ callIds }) => callIds),
      { project },
    );
    const byId = new Map(found.map(({ call }) => [call.id, call]));
    for (const { callIds, reward } of together) {
      const histories = [];
      for (const id of callIds) {
        const call = byId.get(id);
        const chat = call && chatOfCall(call);
        if (!chat || 'fault' in chat) continue; // deleted or changed since it was chosen
        histories.push(historyOfChat(chat, hasLogprobs(chat) && (await hasOwnTokens(chat))));
      }
      const [first, ...others] = histories;
      if (first) yield { ...first, reward, additional_histories: others };
    }
  }
}
