import type { Completions } from '../../services/completions/completions.ts';
import { invalidInput } from '../../util/failures.ts';
import type { Graders } from '../graders/graders.ts';
import type { ReadVersion, Version } from '../read-version.ts';
import type { Rules } from '../rules/rules.ts';
import { readGrader } from './grader.ts';
import { readJudge } from './judge.ts';
import { readRule } from './rule.ts';
import type { Scorer } from './scorer.ts';

export type ScorerContext = {
  readVersion: ReadVersion;
  completions: Completions;
  rules: Rules;
  graders: Graders;
};

/** Reads a scorer that needs no code of its own. @throws Failure with a description of the problem */
export async function readScorer(ref: string, context: ScorerContext): Promise<Scorer> {
  const version = await context.readVersion(ref);
  const { name } = version.value;
  return {
    ref: version.ref,
    objectName: version.name,
    key: typeof name === 'string' && name !== '' ? name : version.name,
    score: await readScore(version, context),
  };
}

async function readScore({ ref, className, value }: Version, context: ScorerContext): Promise<Scorer['score']> {
  switch (className) {
    case 'LLMAsAJudgeScorer':
      return readJudge(value, context);
    case 'RuleScorer':
      return readRule(value, context);
    case 'OpenAIGrader':
      return readGrader(value, context.graders);
    default:
      throw invalidInput(
        `The scorer ${ref} is of the Python class ${className || '(none)'}, which the server cannot run. Use ` +
          'an LLMAsAJudgeScorer, a RuleScorer or an OpenAIGrader, or run the evaluation with the SDK.',
      );
  }
}
