import type { ScoreInLineage } from '../../domain/lineage/lineage.ts';
import { feedbackOfCalls } from '../../store/clickhouse/feedback/feedback-of-calls.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { parseJson } from '../../util/json/parse.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';

/** A call may have any number of scores: these are the first ones. */
const scoresMax = 20;

type Feedback = {
  id: string;
  feedback_type: string;
  payload: JsonText;
  created_at: string;
  wb_user_id: string;
  creator: string | null;
  runnable_ref: string | null;
  call_ref: string | null;
  annotation_ref: string | null;
};

/** The feedback on calls, the oldest first, with the judges and the people it comes from. */
export async function scoresOfCalls(
  { clickhouse, identity }: Pick<Deps, 'clickhouse' | 'identity'>,
  { id: projectId, name: projectName }: Project,
  ids: string[],
): Promise<Map<string, ScoreInLineage[]>> {
  const found = await feedbackOfCalls(clickhouse, { projectId, projectName, ids });
  const lists = [...found].map(([id, json]) => [id, firstOf(json)] as const);
  const users = new Set(lists.flatMap(([, list]) => list.map((each) => each.wb_user_id)));
  const names = await identity.usernames([...users].filter((id) => id !== ''));
  return new Map(lists.map(([id, list]) => [id, list.map((each) => toScore(each, names))]));
}

function firstOf(json: string): Feedback[] {
  return (parseJson(json, { keep: { '*': { payload: true } } }) as Feedback[]).slice(0, scoresMax);
}

function toScore(each: Feedback, names: Map<string, string>): ScoreInLineage {
  return {
    ...{ id: each.id, type: each.feedback_type, payload: each.payload, createdAt: each.created_at },
    ...{ user: names.get(each.wb_user_id) ?? null, creator: each.creator },
    ...{ judge: each.runnable_ref, judgeCall: each.call_ref, annotation: each.annotation_ref },
  };
}
