import type { ListedGate } from '../../api/gates.ts';
import type { TableColumn } from '../../components/DataTable.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { ComparedModel } from '../../features/gate/ComparedModel.tsx';
import { GateState } from '../../features/gate/GateState.tsx';
import { formatCount } from '../../format/numbers.ts';

export const gateColumns: TableColumn<ListedGate>[] = [
  { id: 'state', title: 'Verdict', width: 160, cell: (gate) => <GateState {...gate} /> },
  { id: 'candidate', title: 'Candidate', width: 170, cell: (gate) => <ComparedModel gate={gate} side="candidate" /> },
  { id: 'incumbent', title: 'Incumbent', width: 170, cell: (gate) => <ComparedModel gate={gate} side="incumbent" /> },
  { id: 'suite', title: 'Suite', width: 150, cell: ({ suite }) => <span>{suite}</span> },
  {
    ...{ id: 'number', title: 'Candidate no.', width: 110, align: 'end' },
    cell: ({ number }) => formatCount(number),
  },
  {
    ...{ id: 'threads', title: 'Threads', width: 120, align: 'end' },
    cell: ({ threads, plan }) => `${formatCount(threads)} of ${formatCount(plan.threadsMax)}`,
  },
  {
    ...{ id: 'created', title: 'Started', width: 110, align: 'end' },
    cell: ({ created_at }) => <TimeAgo time={created_at} />,
  },
];
