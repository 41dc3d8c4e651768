import type { LoopPlan } from '../contract/loops/loop.ts';
import { derivedId } from '../domain/calls/ids.ts';
import type { TurnFound, TurnOutcome } from '../domain/loops/turn.ts';
import type { GateRequest } from '../evaluation/gates/plan-gate.ts';
import type { TrainingFromCalls } from '../finetuning/from-calls/training-from-calls.ts';
import type { Loop, Turn, TurnFence } from '../services/loops/loops.ts';
import type { Owner } from '../services/owner.ts';
import type { Services } from '../services/services.ts';

export type TurnDeps = {
  services: Pick<Services, 'loops' | 'loopChats' | 'policies' | 'gates' | 'training'>;
  trainingFromCalls: TrainingFromCalls;
  /** Starts a gate with this id. @throws Failure */
  startGate(request: GateRequest, owner: Owner, id: string): Promise<void>;
  cancelGate(id: string): Promise<void>;
};

/** A turn that is run, and what its phases need. */
export type RunningTurn = {
  loop: Loop;
  turn: Turn;
  /** The plan with which it began. */
  plan: LoopPlan;
  owner: Owner;
  signal: AbortSignal;
  fence: TurnFence;
};

/** What a phase leads to: the turn goes on at once, waits for something, or has ended. */
export type Progress =
  | { kind: 'goes-on'; phase: Turn['phase']; found: TurnFound }
  | { kind: 'waits'; for: string | null; found?: TurnFound }
  | { kind: 'ends'; outcome: TurnOutcome; reason: string; found?: TurnFound };

/** Ids that are always the same, so that a phase that is repeated starts nothing twice. */
export const trainingJobId = (turn: Pick<Turn, 'id'>) => derivedId(turn.id, 'training');
export const gateIdOf = (turn: Pick<Turn, 'id'>) => derivedId(turn.id, 'gate');
