import type { Context } from '../../context.ts';
import { openStepFinder, type StepFinder } from '../../otel/step-finder.ts';
import { type EventJoiner, openEventJoiner } from './join-events.ts';
import { type Ops, openOps } from './ops.ts';

/** What the endpoints that take spans and their events share, and remember from one export to the next. */
export type Intake = { ops: Ops; joiner: EventJoiner; steps: StepFinder };

export function openIntake(context: Context): Intake {
  return { ops: openOps(context), joiner: openEventJoiner(context), steps: openStepFinder() };
}
