import type { Question } from '../../api/questions.ts';

/** An answer as the annotator saw it. */
export function answerText(question: Question, value: unknown): string {
  if (question.kind === 'choice') {
    const choice = question.choices.find((each) => JSON.stringify(each.value) === JSON.stringify(value));
    if (choice) return choice.label;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
