import { GradeError } from '../../domain/graders/grade-error.ts';
import { sampleOf } from '../../domain/graders/sample.ts';
import type { Graders } from '../../evaluation/graders/graders.ts';
import type { GradeOutputs } from '../../finetuning/rft/grade-outputs.ts';
import type { Identity } from '../../identity/identity.ts';
import { notFound } from '../../util/failures.ts';

/** Grades what a job samples, as the user who created it. */
export function openGradeOutputs({ identity, graders }: { identity: Identity; graders: Graders }): GradeOutputs {
  return async ({ userId, projectId, grader, signal }) => {
    const [caller, name] = await Promise.all([identity.findCaller(userId), identity.projectName(projectId)]);
    if (caller === null || name === null) throw notFound('The user who created the job does not exist.');
    const options = { owner: { caller, project: { id: projectId, name } }, signal };
    return async (item, { content, tool_calls }) => {
      const sample = { ...sampleOf(content ?? ''), output_tools: tool_calls ?? [] };
      try {
        const { score } = await graders.grade(grader, { item, sample }, options);
        return Number.isFinite(score) ? { score, fault: null } : { score: 0, fault: `The score is ${score}.` };
      } catch (error) {
        if (error instanceof GradeError) return { score: 0, fault: error.message };
        throw error;
      }
    };
  };
}
