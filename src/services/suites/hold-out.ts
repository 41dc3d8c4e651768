import { messagesOfCall } from '../../domain/suites/compared-texts.ts';
import { type GroupKey, groupKeysOfCall } from '../../domain/suites/group-keys.ts';
import { type Split, splitGroups } from '../../domain/suites/split-groups.ts';
import { uniformAt } from '../../engine/sampling/random.ts';
import { invalidInput } from '../../util/failures.ts';
import { ownMember } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { toJson } from '../../util/json/write.ts';
import type { Calls } from '../calls/calls.ts';
import type { CallsSought } from '../calls/query-calls.ts';
import type { Owner } from '../owner.ts';
import type { Resources } from '../resources.ts';

type Wanted = Pick<CallsSought, 'filter' | 'query'> & {
  name: string;
  limit: number;
  heldOutShare: number;
  seed: number;
};

type HeldOut = Pick<Split, 'heldOut' | 'training'> & {
  dataset: string;
  skipped: number;
  trainingCallIds: string[];
};

/** Makes a dataset of a share of the chats among calls. @throws Failure if there are not two groups of them */
export type HoldOut = (wanted: Wanted, owner: Owner) => Promise<HeldOut>;

/** Read from the store together. */
const callsTogether = 50;

export function openHoldOut({ calls, resources }: { calls: Calls; resources: Resources }): HoldOut {
  return async ({ name, filter = null, query = null, limit, heldOutShare, seed }, owner) => {
    const { project } = owner;
    const [ids, keys]: [string[], GroupKey[][]] = [[], []];
    let read = 0;
    const sortBy = [{ field: 'started_at', direction: 'desc' as const }];
    for await (const page of await calls.query({ project, filter, query, sortBy, limit })) {
      read += page.length;
      for (const { call } of page) {
        const [inputs, attributes] = [parsePlain(call.inputs), parsePlain(call.attributes)];
        if (call.exception !== '' || !messagesOfCall(inputs, parsePlain(call.output || 'null'))) continue;
        ids.push(call.id);
        keys.push(groupKeysOfCall({ ...call, inputs, attributes }));
      }
    }
    const split = splitGroups(keys, heldOutShare, (group) => uniformAt(BigInt(seed), group));
    const { isHeldOut, heldOut, training } = split;
    if (heldOut.rows === 0) {
      throw invalidInput(
        `Nothing can be held out of ${ids.length} chats: each of their ${training.groups} groups is larger than the share, or the only one.`,
      );
    }
    const held = ids.filter((_, at) => isHeldOut[at]);
    const rows = await rowsOf(held, owner);
    const { ref: dataset } = await resources.createDataset({ name, description: null, rows }, owner);
    const trainingCallIds = ids.filter((_, at) => !isHeldOut[at]);
    return { dataset, heldOut, training, skipped: read - ids.length, trainingCallIds };
  };

  /** As the page makes rows of calls. */
  async function rowsOf(ids: string[], { project }: Owner): Promise<string[]> {
    const rows: string[] = [];
    for (let from = 0; from < ids.length; from += callsTogether) {
      const found = await calls.find(ids.slice(from, from + callsTogether), { project });
      for (const { call } of found) {
        const inputs = parsePlain(call.inputs);
        const messages = messagesOfCall(inputs, parsePlain(call.output || 'null')) ?? [];
        const tools = ownMember(inputs, 'tools');
        rows.push(
          toJson({
            messages: messages.slice(0, -1),
            ...(Array.isArray(tools) && tools.length > 0 ? { tools } : {}),
            output: ownMember(messages.at(-1), 'content') ?? null,
            source_call: `weave:///${project.name}/call/${call.id}`,
          }),
        );
      }
    }
    return rows;
  }
}
