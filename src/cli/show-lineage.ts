import type { OperationAnswer } from '../admin/operations.ts';

type LineageJson = OperationAnswer<'lineage.show'>['lineage'];

type Score = LineageJson['rows'][number]['scores'][number];

/** A lineage as an indented tree, one line each. */
export function lineageLines(
  project: string,
  { call, checkpoint, job, before, rows, next, uses }: LineageJson,
): string[] {
  const answer = call?.answer ?? null;
  return [
    `Call ${call!.id} in ${project}`,
    ...call!.scores.map((score) => `  ${scoreLine(score)}`),
    answer ? `  answered by ${answer.model}` : '  not answered by a model that heddle serves',
    ...(checkpoint
      ? [`    checkpoint ${checkpoint.model}:step${checkpoint.step} in ${checkpoint.project} (${checkpoint.id})`]
      : answer?.adapter_id
        ? [`    adapter ${answer.adapter_id}`]
        : []),
    ...(job === null ? [] : jobLines(job)),
    ...rows.flatMap(rowLines),
    ...(next === null ? [] : [`        … more: of ${job!.calls.total} calls, ${rows.length} are shown`]),
    ...(before ? [`    before it ${before.model}:step${before.step} (${before.id})`] : []),
    ...uses.flatMap(useLines),
  ];
}

function jobLines({
  id,
  type,
  status,
  created_by: by,
  created_at: at,
  calls,
}: NonNullable<LineageJson['job']>): string[] {
  const { total, train, validation } = calls;
  return [
    `      made by the ${type} job ${id} (${status}${by === null ? '' : `, of ${by}`}, ${at.slice(0, 16)})`,
    `      from ${total} calls: ${train} trained on, ${validation} held out`,
  ];
}

function rowLines({ call_id: id, weight, split, call, scores }: LineageJson['rows'][number]): string[] {
  const use = split === null ? 'not used' : split === 'validation' ? 'held out' : `weight ${weight}`;
  return [
    `        ${id}  ${use}  ${call === null ? 'deleted' : call.display_name || call.op_name}`,
    ...scores.map((score) => `          ${scoreLine(score)}`),
  ];
}

function scoreLine({ feedback_type: type, payload, user, judge_ref: judge, judge_call_ref: judgeCall }: Score): string {
  const value = JSON.stringify(payload);
  const short = value.length > shownMax ? `${value.slice(0, shownMax)}…` : value;
  const by =
    judge === null
      ? user === null
        ? ''
        : ` by ${user}`
      : ` by ${judge}${judgeCall === null ? '' : ` (${judgeCall})`}`;
  return `scored ${type} ${short}${by}`;
}

const shownMax = 80;

function useLines({ job, weight, split, checkpoint, answers }: LineageJson['uses'][number]): string[] {
  const use = split === null ? 'not used' : split === 'validation' ? 'held out' : `weight ${weight}`;
  const count = `${answers.has_more ? 'at least ' : ''}${answers.count}`;
  return [
    `  used by the ${job.type} job ${job.id} of ${job.model} (${job.status}), ${use}`,
    ...(checkpoint ? [`    checkpoint ${job.model}:step${checkpoint.step} (${checkpoint.id}), ${count} answers`] : []),
    ...answers.newest.map(({ id, started_at: at }) => `      ${id}  ${at.slice(0, 19)}`),
  ];
}
