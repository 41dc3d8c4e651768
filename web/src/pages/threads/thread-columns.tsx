import type { Thread } from '../../api/threads.ts';
import type { TableColumn } from '../../components/DataTable.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { formatCount, formatDuration } from '../../format/numbers.ts';

/** The columns of the list; the ids are what the server sorts by. */
export function threadColumns(firstMessages: ReadonlyMap<string, string>): TableColumn<Thread>[] {
  return [
    {
      id: 'first_message',
      title: 'First message',
      width: 340,
      cell: ({ first_turn_id }) => <span>{firstMessages.get(first_turn_id ?? '')}</span>,
    },
    {
      ...{ id: 'turn_count', title: 'Turns', width: 76, align: 'end', isSortable: true },
      cell: ({ turn_count }) => formatCount(turn_count),
    },
    {
      ...{ id: 'last_updated', title: 'Last activity', width: 112, align: 'end', isSortable: true },
      cell: ({ last_updated }) => <TimeAgo time={last_updated} />,
    },
    {
      ...{ id: 'p50_turn_duration_ms', title: 'Median turn', width: 110, align: 'end', isSortable: true },
      cell: ({ p50_turn_duration_ms }) => <Duration milliseconds={p50_turn_duration_ms} />,
    },
    {
      ...{ id: 'p99_turn_duration_ms', title: '99 % of turns', width: 116, align: 'end', isSortable: true },
      cell: ({ p99_turn_duration_ms }) => <Duration milliseconds={p99_turn_duration_ms} />,
    },
    {
      ...{ id: 'start_time', title: 'Started', width: 112, align: 'end', isSortable: true },
      cell: ({ start_time }) => <TimeAgo time={start_time} />,
    },
    {
      ...{ id: 'thread_id', title: 'Thread', width: 220, isSortable: true },
      cell: ({ thread_id }) => <span title={thread_id}>{thread_id}</span>,
    },
  ];
}

function Duration({ milliseconds }: { milliseconds: number | null }) {
  return milliseconds === null ? '–' : formatDuration(milliseconds);
}
