import { useMemo } from 'react';
import type { Message } from '../../api/conversations.ts';
import { Badge } from '../../ui/Badge.tsx';
import { alignMessages, messageKey, roleOf } from './align-messages.ts';
import styles from './ConversationView.module.css';
import { MessageParts } from './MessageParts.tsx';

/** Messages of two versions as one list, with what was removed and what was added. */
export function MessagesDiff({ before, after }: { before: Message[]; after: Message[] }) {
  const rows = useMemo(() => alignMessages([before, after]), [before, after]);
  return (
    <ol className={styles.conversation} aria-label="Messages">
      {rows.map((row, index) => {
        const [old, now] = row;
        const state = old === undefined ? 'added' : now === undefined ? 'removed' : 'kept';
        const isChanged = old !== undefined && now !== undefined && messageKey(old) !== messageKey(now);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and do not move
          <li key={index} className={styles.message} data-role={roleOf(row)}>
            <header className={styles.head}>
              <span className={styles.role}>{roleOf(row)}</span>
              {state !== 'kept' && <Badge tone={state === 'added' ? 'success' : 'error'}>{state}</Badge>}
              {isChanged && <Badge tone="warning">changed</Badge>}
            </header>
            <MessageParts parts={(now ?? old)!.parts} hasVariables before={isChanged ? old.parts : undefined} />
          </li>
        );
      })}
    </ol>
  );
}
