import { useQuery } from '@tanstack/react-query';
import { PageHeader } from '../../components/PageHeader.tsx';
import { formatCount } from '../../format/numbers.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Button } from '../../ui/Button.tsx';
import { ColumnChooser } from './ColumnChooser.tsx';
import { loopChats } from './loop-chats.ts';
import { SelectionActions } from './SelectionActions.tsx';
import styles from './TracesHeader.module.css';
import { countQuery, type Query, type Selection } from './traces-query.ts';
import type { useColumns } from './use-columns.ts';
import type { useOpenView } from './views/use-open-view.ts';
import { ViewMenu } from './views/ViewMenu.tsx';
import { definitionOf, viewStateOf } from './views/view-state.ts';

type TracesHeaderProps = {
  selection: Selection;
  /** The filter that was typed; undefined while it cannot be read. */
  condition: Query | null | undefined;
  isLive: boolean;
  /** Whether the calls may be counted now. */
  isCounted: boolean;
  columns: ReturnType<typeof useColumns>;
  /** Fields of nested values, which can become columns. */
  fields: string[];
  opened: ReturnType<typeof useOpenView>;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
};

/** How many calls are listed, the saved views, and what can be done with the list and the selected calls. */
export function TracesHeader({
  selection,
  condition,
  isLive,
  isCounted,
  columns,
  opened,
  ...props
}: TracesHeaderProps) {
  const [search, change] = useSearchState();
  const { data: counted } = useQuery({
    ...countQuery(selection),
    enabled: isCounted,
    refetchInterval: isLive && 5000,
  });
  const { columnIds, chooseColumns } = columns;
  const count = counted && `${formatCount(counted.count)}${counted.has_more ? '+' : ''}`;
  return (
    <PageHeader
      title={
        <>
          {selection.filter.topmost_calls_only ? 'Traces' : 'Calls'} <span className={styles.count}>{count}</span>
        </>
      }
      actions={
        <>
          <Button
            icon={isLive ? 'pause' : 'play'}
            kind="quiet"
            aria-pressed={isLive}
            onClick={() => change({ live: isLive ? undefined : '1' }, { replace: true })}
          >
            {isLive ? 'Live' : 'Go live'}
          </Button>
          <SelectionActions
            selection={selection}
            selected={props.selected}
            chats={condition === undefined ? null : loopChats(viewStateOf(search), condition, opened)}
            onDone={() => props.onSelect(new Set())}
          />
          <ColumnChooser chosen={columnIds} fields={props.fields} onChange={chooseColumns} />
        </>
      }
    >
      <ViewMenu
        opened={opened}
        definition={condition === undefined ? null : definitionOf(viewStateOf(search), condition, columnIds)}
      />
    </PageHeader>
  );
}
