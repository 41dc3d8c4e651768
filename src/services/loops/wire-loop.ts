import type { Identity } from '../../identity/identity.ts';
import type { Loop, LoopWithTurn, Turn } from './loops.ts';

type Names = Pick<Identity, 'usernames'>;

export async function loopAnswer(identity: Names, { loop, latest }: LoopWithTurn) {
  const names = await namesOf(identity, [loop], latest ? [latest] : []);
  return { ...fieldsOf(loop, names), latest_turn: latest && turnFields(loop, latest, names) };
}

export async function loopsAnswer(identity: Names, found: LoopWithTurn[]) {
  const loops = found.map(({ loop }) => loop);
  const names = await namesOf(
    identity,
    loops,
    found.flatMap(({ latest }) => latest ?? []),
  );
  return found.map(({ loop, latest }) => ({
    ...fieldsOf(loop, names),
    latest_turn: latest && turnFields(loop, latest, names),
  }));
}

export async function loopWithTurnsAnswer(identity: Names, { loop, turns }: { loop: Loop; turns: Turn[] }) {
  const names = await namesOf(identity, [loop], turns);
  const all = turns.map((turn) => turnFields(loop, turn, names));
  return { ...fieldsOf(loop, names), latest_turn: all[0] ?? null, turns: all };
}

export async function turnAnswer(identity: Names, loop: Loop, turn: Turn) {
  return turnFields(loop, turn, await namesOf(identity, [], [turn]));
}

type Usernames = Map<string, string>;

function namesOf(identity: Names, loops: Loop[], turns: Turn[]): Promise<Usernames> {
  const ofTurns = turns.flatMap(({ answer, undone }) => [answer?.by ?? [], undone?.by ?? []].flat());
  return identity.usernames([...new Set([...loops.map(({ createdBy }) => createdBy), ...ofTurns])]);
}

function fieldsOf(loop: Loop, names: Usernames) {
  return {
    name: loop.name,
    plan: loop.plan,
    paused_at: loop.pausedAt?.toISOString() ?? null,
    paused_reason: loop.pausedReason,
    created_by: names.get(loop.createdBy) ?? loop.createdBy,
    created_at: loop.createdAt.toISOString(),
    updated_at: loop.updatedAt.toISOString(),
  };
}

function turnFields(loop: Loop, turn: Turn, names: Usernames) {
  const { found, answer, undone } = turn;
  const { rollout } = turn.plan ?? loop.plan;
  const nameOf = (id: string | undefined) => (id === undefined ? null : (names.get(id) ?? id));
  return {
    ...{ id: turn.id, number: turn.number, phase: turn.phase, outcome: turn.outcome },
    reason: turn.reason ?? found.waitsFor ?? null,
    starts_at: turn.startsAt.toISOString(),
    started_at: turn.startedAt?.toISOString() ?? null,
    ended_at: turn.endedAt?.toISOString() ?? null,
    undone_at: undone?.at.toISOString() ?? null,
    undone_by: nameOf(undone?.by),
    collected: found.collected ?? null,
    incumbent: found.incumbent?.model ?? null,
    candidate: found.candidate ?? null,
    training_job_id: found.jobId ?? null,
    gate_id: found.gateId ?? null,
    verdict: found.verdict ?? null,
    question: found.question
      ? {
          text: found.question.text,
          approver: (turn.plan ?? loop.plan).approver ?? 'anyone',
          asked_at: found.question.askedAt,
          answer: answer?.answer ?? null,
          reason: answer?.reason ?? null,
          answered_by: nameOf(answer?.by),
          answered_at: answer?.at.toISOString() ?? null,
        }
      : null,
    rollout: found.rollout
      ? {
          policy: rollout.policy,
          version_before: found.rollout.versionBefore,
          version: found.rollout.version,
          stage: found.rollout.stage,
          stages: rollout.stages,
          stage_began_at: found.rollout.stageBeganAt,
          counted: found.rollout.counted,
        }
      : null,
  };
}
