import { z } from 'zod';
import {
  labelModelGrader,
  multiGrader,
  pythonGrader,
  scoreModelGrader,
  stringCheckGrader,
  textSimilarityGrader,
} from '../graders/grader.ts';
import { float } from '../wire.ts';

/** Graders with further fields. */
function gradersWith<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.discriminatedUnion('type', [
    stringCheckGrader.extend({ ...threshold, ...fields }),
    textSimilarityGrader.extend({ pass_threshold: float(), ...fields }),
    scoreModelGrader.extend({ ...threshold, ...fields }),
    labelModelGrader.extend({ ...threshold, ...fields }),
    pythonGrader.extend({ ...threshold, ...fields }),
    multiGrader.extend({ ...threshold, ...fields }),
  ]);
}

/** A sample passes with at least this score. */
const threshold = { pass_threshold: float().nullish() };

/** A grader of an eval, as it is created. */
export const newCriterion = gradersWith({}).meta({ id: 'OpenAIEvalNewCriterion' });

/** The same with its id, under which results of runs list it. */
export const criterion = gradersWith({ id: z.string() }).meta({ id: 'OpenAIEvalCriterion' });

export type NewCriterion = z.output<typeof newCriterion>;
export type Criterion = z.output<typeof criterion>;
