import type { ChatCompletion } from '../../contract/chat/completion.ts';
import type { Grader } from '../../contract/graders/grader.ts';
import type { ProjectId } from '../../contract/ids.ts';

/** In which project and for whom outputs are graded. */
type GradedFor = { userId: string; projectId: ProjectId; grader: Grader; signal: AbortSignal };

type Message = ChatCompletion['choices'][number]['message'];

/** `fault` is why a message has no score, which counts as 0. */
type Graded = { score: number; fault: string | null };

/**
 * Opens a grader for a user in a project. It returns the score of a message for an item. @throws Failure if no message can be graded
 */
export type GradeOutputs = (
  wanted: GradedFor,
) => Promise<(item: Record<string, unknown>, message: Message) => Promise<Graded>>;
