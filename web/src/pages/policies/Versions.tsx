import type { PolicyVersion } from '../../api/policies.ts';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';
import { kindOf } from './PolicyList.tsx';
import { Shares } from './Shares.tsx';

/** The versions of a policy, the newest first: who made them, when and why. */
export function Versions({ versions }: { versions: PolicyVersion[] }) {
  return (
    <Table label="Versions">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Shares</th>
          <th scope="col">Kind</th>
          <th scope="col">Made</th>
          <th scope="col">By</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.number}>
            <td>{version.number}</td>
            <td>
              <Shares version={version} />
            </td>
            <td>{kindOf(version.traffic)}</td>
            <td>
              <TimeAgo time={version.created_at} />
            </td>
            <td>{version.created_by ?? 'heddle'}</td>
            <td>
              {version.undoes_to !== null && <Badge>equal to version {version.undoes_to}</Badge>}
              {version.verdict !== null && version.verdict !== undefined && <Badge tone="warning">automatic</Badge>}{' '}
              {version.reason || '–'}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
