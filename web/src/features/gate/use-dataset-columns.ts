import { useQuery } from '@tanstack/react-query';
import { tableOf, tableRowsHeadQuery, versionQuery } from '../../api/objects.ts';
import { recordOf } from '../../format/json.ts';
import { useProject } from '../use-project.ts';

/** The columns of a version of a dataset, as its first rows have them; none without a digest. */
export function useDatasetColumns(name: string, digest: string): string[] {
  const { id } = useProject();
  const { data: version } = useQuery(versionQuery(id, name, digest));
  const isRead = digest !== '' && version?.object_id === name;
  const { data: head = [] } = useQuery(tableRowsHeadQuery(id, isRead ? tableOf(version) : null));
  return isRead ? [...new Set(head.flatMap(({ val }) => Object.keys(recordOf(val))))] : [];
}
