import { z } from 'zod';
import { grader as graderSchema } from '../../contract/graders/grader.ts';
import { graderFault } from '../../domain/graders/check-grader.ts';
import { defaultThreshold } from '../../domain/graders/grade.ts';
import { GradeError } from '../../domain/graders/grade-error.ts';
import { sampleOf } from '../../domain/graders/sample.ts';
import { describeFaults } from '../../util/describe-faults.ts';
import { invalidInput } from '../../util/failures.ts';
import type { Graders } from '../graders/graders.ts';
import { ScoreError } from './score-error.ts';
import type { Scorer } from './scorer.ts';

const scorerSchema = z.object({ grader: graderSchema, pass_threshold: z.number().nullish() });

/** Reads the value of an `OpenAIGrader`: the row is `item`, and the output is `sample`. @throws Failure */
export function readGrader(value: unknown, graders: Graders): Scorer['score'] {
  const parsed = scorerSchema.safeParse(value);
  if (!parsed.success) throw invalidInput(`The scorer is invalid: ${describeFaults(parsed.error)}`);
  const { grader } = parsed.data;
  const fault = graderFault(grader);
  if (fault) throw invalidInput(`The scorer is invalid: grader.${fault.path.join('.')}: ${fault.message}`);
  const threshold = parsed.data.pass_threshold ?? defaultThreshold(grader);
  return async ({ row, output }, owner, signal) => {
    try {
      const namespaces = { item: row, sample: sampleOf(output) };
      const { score, usage } = await graders.grade(grader, namespaces, { owner, signal });
      return { score: { score, passed: score >= threshold }, usage };
    } catch (error) {
      throw error instanceof GradeError ? new ScoreError(error.message, error.asked.usage) : error;
    }
  };
}
