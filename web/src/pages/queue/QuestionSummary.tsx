import { useMemo } from 'react';
import type { Annotation } from '../../api/annotations.ts';
import type { Question } from '../../api/questions.ts';
import { numberOf } from '../../format/json.ts';
import { formatCount, formatNumber, formatPercent } from '../../format/numbers.ts';
import { Table } from '../../ui/Table.tsx';
import { agreementOf } from './agreement.ts';
import { answerText } from './answer-text.ts';
import styles from './Results.module.css';

/** For each question: how often it was answered with what, and how far annotators agree. */
export function QuestionSummary({ questions, annotations }: { questions: Question[]; annotations: Annotation[] }) {
  const byName = useMemo(() => Map.groupBy(annotations, ({ name }) => name), [annotations]);
  return (
    <Table label="Answers by question" className={styles.summary}>
      <thead>
        <tr>
          <th scope="col">Question</th>
          <th scope="col">Answers</th>
          <th scope="col" data-align="end">
            Annotators
          </th>
          <th scope="col" data-align="end">
            Agreement
          </th>
          <th scope="col" data-align="end">
            <abbr title="Krippendorff’s alpha: 1 is full agreement, 0 what chance would give">Alpha</abbr>
          </th>
        </tr>
      </thead>
      <tbody>
        {questions.map((question) => (
          <Row key={question.ref} question={question} annotations={byName.get(question.name) ?? []} />
        ))}
      </tbody>
    </Table>
  );
}

function Row({ question, annotations }: { question: Question; annotations: Annotation[] }) {
  const { same, alpha, sharedCalls } = useMemo(() => agreementOf(annotations, question), [annotations, question]);
  const annotators = new Set(annotations.map(({ userId }) => userId)).size;
  return (
    <tr>
      <th scope="row">{question.title}</th>
      <td className={styles.answers}>{answersText(annotations, question)}</td>
      <td data-align="end">{formatCount(annotators)}</td>
      <td
        data-align="end"
        title={
          same === null
            ? 'Two annotators must answer for the same call'
            : `On ${formatCount(sharedCalls)} calls that several answered for`
        }
      >
        {same === null ? '–' : formatPercent(same)}
      </td>
      <td data-align="end">{alpha === null ? '–' : formatNumber(alpha)}</td>
    </tr>
  );
}

/** The answers by number, or the mean. */
function answersText(annotations: Annotation[], question: Question): string {
  if (annotations.length === 0) return 'none yet';
  if (question.kind === 'number') {
    const values = annotations.map(({ value }) => numberOf(value) ?? Number.NaN);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `${answerCount(values.length)}, mean ${formatNumber(mean)}`;
  }
  if (question.kind !== 'choice') return answerCount(annotations.length);
  const counts = Map.groupBy(annotations, ({ value }) => answerText(question, value));
  const known = question.choices.map(({ label }) => label);
  return [...new Set([...known, ...counts.keys()])]
    .flatMap((text) => (counts.has(text) ? `${text}: ${formatCount(counts.get(text)!.length)}` : []))
    .join(' · ');
}

function answerCount(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'answer' : 'answers'}`;
}
