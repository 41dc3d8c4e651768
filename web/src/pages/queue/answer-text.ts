import type { Question } from '../../api/questions.ts';
import { comparable, writeJson } from '../../format/json.ts';

/** An answer as the annotator saw it. */
export function answerText(question: Question, value: unknown): string {
  if (question.kind === 'choice') {
    const choice = question.choices.find((each) => comparable(each.value) === comparable(value));
    if (choice) return choice.label;
  }
  return typeof value === 'string' ? value : writeJson(value);
}
