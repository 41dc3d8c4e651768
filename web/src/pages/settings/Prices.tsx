import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ask } from '../../api/client.ts';
import { readAgain } from '../../api/read-again.ts';
import { type Price, pricesQuery } from '../../api/settings.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { DataTable, type TableColumn } from '../../components/DataTable.tsx';
import { formatCost } from '../../format/numbers.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Status.tsx';
import { AddPrice } from './AddPrice.tsx';
import { actionColumn } from './action-column.tsx';
import { ListOf, Section } from './Section.tsx';

/** The project's own prices, which replace those that come with the server. */
export function Prices({ projectId }: { projectId: string }) {
  const query = useQuery(pricesQuery(projectId));
  const [search, change] = useSearchState();
  const [isAdding, setIsAdding] = useState(search.model !== undefined);
  const [removed, setRemoved] = useState<Price | null>(null);
  const columns = useMemo(() => columnsOf(setRemoved), []);
  // Costs are computed when calls are read, so a price changes the costs of all lists.
  const reload = () => readAgain({ predicate: ({ queryKey }) => queryKey[1] === projectId });
  return (
    <Section
      title="Prices"
      description="heddle comes with the prices of common models. Prices of this project replace them. A call is charged the price that applied when it started."
      action={
        <Button icon="plus" kind="primary" onClick={() => setIsAdding(true)}>
          Add price
        </Button>
      }
    >
      <ListOf
        query={query}
        label="prices"
        empty={
          <Empty icon="bars" title="No prices of its own">
            Add one for a model without a known price, or for a price you agreed on.
          </Empty>
        }
      >
        {(prices) => <DataTable label="Prices" columns={columns} items={prices} keyOf={({ id }) => id ?? ''} />}
      </ListOf>
      {isAdding && (
        <AddPrice
          projectId={projectId}
          model={search.model}
          onAdded={reload}
          onClose={() => {
            setIsAdding(false);
            change({ model: undefined });
          }}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={`Remove this price of ${removed.llm_id}?`}
          description="Calls that it applied to then cost what the remaining prices say, or nothing if there is none."
          action="Remove"
          run={async () => {
            const $expr = { $eq: [{ $getField: 'id' }, { $literal: removed.id }] };
            await ask('POST /cost/purge', { body: { project_id: projectId, query: { $expr } as never } }); // a query by id
            await reload();
          }}
          onClose={() => setRemoved(null)}
        />
      )}
    </Section>
  );
}

function columnsOf(onRemove: (price: Price) => void): TableColumn<Price>[] {
  const cost = (id: keyof Price, title: string): TableColumn<Price> => ({
    ...{ id, title, width: 155, align: 'end' },
    cell: (price) => perMillion(Number(price[id] ?? 0), price.prompt_token_cost_unit),
  });
  return [
    { id: 'model', title: 'Model', width: 240, cell: ({ llm_id }) => llm_id },
    cost('prompt_token_cost', 'Input / 1M tokens'),
    cost('completion_token_cost', 'Output / 1M tokens'),
    cost('cache_read_input_token_cost', 'Cache read / 1M'),
    cost('cache_creation_input_token_cost', 'Cache write / 1M'),
    { id: 'date', title: 'In force since', width: 120, cell: ({ effective_date }) => effective_date?.slice(0, 10) },
    actionColumn((price) => (
      <IconButton icon="trash" label={`Remove the price of ${price.llm_id}`} onClick={() => onRemove(price)} />
    )),
  ];
}

function perMillion(cost: number, unit: string | null | undefined): string {
  const dollars = formatCost(Number((cost * 1e6).toPrecision(12)));
  return unit == null || unit === 'USD' ? dollars : `${dollars.replace('$', '')} ${unit}`;
}
