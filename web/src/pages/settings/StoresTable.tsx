import type { Examination } from '../../api/settings.ts';
import { formatBytes, formatDuration } from '../../format/numbers.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Table } from '../../ui/Table.tsx';

type Store = Examination['stores'][number];

/** What is known of each store. Columns without a known value are left out. */
export function StoresTable({ stores }: { stores: Store[] }) {
  const shown = columns.filter(({ value }) => stores.some((store) => value(store) !== null));
  return (
    <Table label="Stores">
      <thead>
        <tr>
          <th scope="col">Store</th>
          <th scope="col">State</th>
          <th scope="col">Kind</th>
          {shown.map(({ title, isNumber }) => (
            <th key={title} scope="col" data-align={isNumber ? 'end' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {stores.map((store) => (
          <tr key={store.name}>
            <th scope="row">
              <strong>{store.name}</strong>
            </th>
            <td>
              <Badge tone={store.is_up ? 'success' : 'error'}>{store.is_up ? 'up' : 'down'}</Badge>
            </td>
            <td>{kinds[store.kind]}</td>
            {shown.map(({ title, isNumber, value }) => (
              <td key={title} data-align={isNumber ? 'end' : undefined}>
                {value(store) ?? '–'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

const kinds: Record<Store['kind'], string> = {
  embedded: 'embedded',
  server: 'server',
  directory: 'directory',
  s3: 'S3',
};

type Column = { title: string; isNumber: boolean; value: (store: Store) => string | null };

const columns: Column[] = [
  { title: 'Version', isNumber: false, value: ({ version }) => version ?? null },
  { title: 'Address', isNumber: false, value: ({ address }) => address ?? null },
  {
    title: 'Latency',
    isNumber: true,
    value: ({ latency_seconds }) => known(latency_seconds, (seconds) => formatDuration(1000 * seconds)),
  },
  { title: 'Free', isNumber: true, value: ({ free_bytes }) => known(free_bytes, formatBytes) },
  { title: 'Used', isNumber: true, value: ({ used_bytes }) => known(used_bytes, formatBytes) },
];

function known(value: number | null | undefined, format: (value: number) => string): string | null {
  return value === null || value === undefined ? null : format(value);
}
