import { type ReactNode, useMemo } from 'react';
import type { Call } from '../../api/calls.ts';
import type { Conversation, Message } from '../../api/conversations.ts';
import { messageKey } from '../../features/chat/align-messages.ts';
import { formatCount } from '../../format/numbers.ts';
import { Table } from '../../ui/Table.tsx';
import { ComparedCall } from './ComparedCall.tsx';
import { ComparedMessage } from './ComparedMessage.tsx';
import { ComparedValue } from './ComparedValue.tsx';
import styles from './ComparePage.module.css';
import { type ConversationRow, conversationSections } from './compared-messages.ts';
import { type ComparedSection, comparedSections } from './compared-rows.ts';

type CompareTableProps = {
  ids: string[];
  /** In the order of the ids; null for a call that does not exist. */
  calls: (Call | null)[];
  /** In the order of the ids; null to compare the data. */
  conversations: (Conversation | null)[] | null;
  isOnlyDifferent: boolean;
  onFirst: (id: string) => void;
  onRemove: (id: string) => void;
};

/** A column for each call, a row for each message or value in them. */
export function CompareTable({ ids, calls, conversations, isOnlyDifferent, onFirst, onRemove }: CompareTableProps) {
  const sections = useMemo(
    (): ComparedSection<ConversationRow>[] =>
      conversations ? conversationSections(calls, conversations) : comparedSections(calls),
    [calls, conversations],
  );
  return (
    <Table label="Compared calls" className={styles.table}>
      <thead>
        <tr>
          <td className={styles.name} />
          {ids.map((id, index) => (
            <th key={id} scope="col" className={styles.call}>
              <ComparedCall
                id={id}
                call={calls[index]!}
                isFirst={index === 0}
                onFirst={() => onFirst(id)}
                onRemove={() => onRemove(id)}
              />
            </th>
          ))}
        </tr>
      </thead>
      {sections.map((section) => (
        <Section key={section.title} section={section} isOnlyDifferent={isOnlyDifferent} columns={ids.length} />
      ))}
    </Table>
  );
}

type SectionProps = { section: ComparedSection<ConversationRow>; isOnlyDifferent: boolean; columns: number };

function Section({ section: { title, rows, isCut }, isOnlyDifferent, columns }: SectionProps) {
  const different = rows.filter(({ isDifferent }) => isDifferent);
  const shown = isOnlyDifferent ? different : rows;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={columns + 1} className={styles.section}>
          <span className={styles.title}>{title}</span>{' '}
          <span className={styles.note}>{summaryOf(rows, different.length)}</span>
        </th>
      </tr>
      {shown.map((row) => (
        <tr key={row.key}>
          <th scope="row" className={styles.name}>
            {row.isDifferent && (
              <span className={styles.unequal} role="img" aria-label="Different">
                ≠
              </span>
            )}{' '}
            {row.name}
          </th>
          <Cells row={row} />
        </tr>
      ))}
      {isCut && (
        <tr>
          <td colSpan={columns + 1} className={styles.note}>
            More is not shown. Open a call to see everything.
          </td>
        </tr>
      )}
    </tbody>
  );
}

function Cells({ row }: { row: ConversationRow }) {
  if ('messages' in row) {
    const [first, ...others] = row.messages;
    return (
      <>
        <Cell isDifferent={false}>{first ? <ComparedMessage message={first} /> : <Nothing />}</Cell>
        {others.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <Cell key={index} isDifferent={keyOf(message) !== keyOf(first)}>
            {message ? <ComparedMessage message={message} first={first} /> : <Nothing />}
          </Cell>
        ))}
      </>
    );
  }
  const [first = null] = row.texts;
  return row.texts.map((text, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
    <Cell key={index} isDifferent={text !== first}>
      {text === null ? <Nothing /> : <ComparedValue text={text} first={first} />}
    </Cell>
  ));
}

function Cell({ isDifferent, children }: { isDifferent: boolean; children: ReactNode }) {
  return <td className={isDifferent ? styles.different : styles.value}>{children}</td>;
}

function Nothing() {
  return <span className={styles.note}>–</span>;
}

function keyOf(message: Message | undefined): string | null {
  return message ? messageKey(message) : null;
}

function summaryOf(rows: ConversationRow[], different: number): string {
  if (rows.length === 0) return 'none';
  const what = rows.some((row) => 'messages' in row) ? 'messages' : 'values';
  return different === 0 ? 'no difference' : `${formatCount(different)} of ${formatCount(rows.length)} ${what} differ`;
}
