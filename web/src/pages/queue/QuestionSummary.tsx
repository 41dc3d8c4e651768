import { useMemo } from 'react';
import type { Annotation } from '../../api/annotations.ts';
import type { Question } from '../../api/questions.ts';
import { formatCount, formatNumber, formatPercent } from '../../format/numbers.ts';
import { agreementOf } from './agreement.ts';
import { answerText } from './answer-text.ts';
import styles from './Results.module.css';

/** For each question: how often it was answered with what, and how far annotators agree. */
export function QuestionSummary({ questions, annotations }: { questions: Question[]; annotations: Annotation[] }) {
  const byName = useMemo(() => Map.groupBy(annotations, ({ name }) => name), [annotations]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.summary} tabIndex={0} aria-label="Summary">
      <table className={styles.table} aria-label="Answers by question">
        <thead>
          <tr>
            <th scope="col">Question</th>
            <th scope="col">Answers</th>
            <th scope="col" className={styles.number}>
              Annotators
            </th>
            <th scope="col" className={styles.number}>
              Agreement
            </th>
            <th scope="col" className={styles.number}>
              <abbr title="Krippendorff’s alpha: 1 is full agreement, 0 what chance would give">Alpha</abbr>
            </th>
          </tr>
        </thead>
        <tbody>
          {questions.map((question) => (
            <Row key={question.ref} question={question} annotations={byName.get(question.name) ?? []} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ question, annotations }: { question: Question; annotations: Annotation[] }) {
  const { same, alpha, sharedCalls } = useMemo(() => agreementOf(annotations, question), [annotations, question]);
  const annotators = new Set(annotations.map(({ userId }) => userId)).size;
  return (
    <tr>
      <th scope="row">{question.title}</th>
      <td className={styles.answers}>{answersText(annotations, question)}</td>
      <td className={styles.number}>{formatCount(annotators)}</td>
      <td
        className={styles.number}
        title={
          same === null
            ? 'Two annotators must answer for the same call'
            : `On ${formatCount(sharedCalls)} calls that several answered for`
        }
      >
        {same === null ? '–' : formatPercent(same)}
      </td>
      <td className={styles.number}>{alpha === null ? '–' : formatNumber(alpha)}</td>
    </tr>
  );
}

/** The answers by number, or the mean. */
function answersText(annotations: Annotation[], question: Question): string {
  if (annotations.length === 0) return 'none yet';
  if (question.kind === 'number') {
    const values = annotations.map(({ value }) => Number(value));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `${formatCount(values.length)} answers, mean ${formatNumber(mean)}`;
  }
  if (question.kind !== 'choice') return `${formatCount(annotations.length)} answers`;
  const counts = Map.groupBy(annotations, ({ value }) => answerText(question, value));
  const known = question.choices.map(({ label }) => label);
  return [...new Set([...known, ...counts.keys()])]
    .flatMap((text) => (counts.has(text) ? `${text}: ${formatCount(counts.get(text)!.length)}` : []))
    .join(' · ');
}
