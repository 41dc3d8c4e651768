import type { Policy } from '../../api/policies.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { Button } from '../../ui/Button.tsx';
import { Table } from '../../ui/Table.tsx';
import { Shares } from './Shares.tsx';

type PolicyListProps = { policies: Policy[]; chosen: string; onChoose: (name: string) => void };

export function PolicyList({ policies, chosen, onChoose }: PolicyListProps) {
  return (
    <Table label="Policies">
      <thead>
        <tr>
          <th scope="col">Policy</th>
          <th scope="col" data-align="end">
            Version
          </th>
          <th scope="col">Kind</th>
          <th scope="col">Shares</th>
          <th scope="col">Changed</th>
        </tr>
      </thead>
      <tbody>
        {policies.map(({ name, version }) => (
          <tr key={name} aria-current={name === chosen}>
            <th scope="row">
              <Button kind={name === chosen ? 'normal' : 'quiet'} onClick={() => onChoose(name)}>
                {name}
              </Button>
            </th>
            <td data-align="end">{version.number}</td>
            <td>{kindOf(version.traffic)}</td>
            <td>
              <Shares version={version} />
            </td>
            <td>
              <TimeAgo time={version.created_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function kindOf(traffic: Policy['version']['traffic']): string {
  switch (traffic.kind) {
    case 'split':
      return 'fixed split';
    case 'stages':
      return `stage ${traffic.stage} of ${traffic.stages.length}`;
    case 'shadow':
      return 'shadow';
    case 'best_arm':
      return `best arm by ${traffic.scorer}`;
    default:
      return traffic satisfies never;
  }
}
