import { useCallback } from 'react';
import type { Call } from '../../api/calls.ts';
import { typedField } from '../../features/call/field-paths.ts';
import { WhichCalls } from '../../features/call/WhichCalls.tsx';
import { rangeOptions } from '../../format/time-range.ts';
import { useSearchState } from '../../hooks/use-search-state.ts';
import { Select } from '../../ui/Select.tsx';
import { FilterField } from './FilterField.tsx';
import { valuesOf } from './fields.ts';
import styles from './TracesFilters.module.css';
import { ViewConditions } from './views/ViewConditions.tsx';

type TracesFiltersProps = {
  text: string;
  /** Why the text cannot be read as a filter. */
  error: string | null;
  isRootsOnly: boolean;
  /** The listed calls and their fields, which complete what is typed. */
  calls: Call[];
  fields: string[];
  isViewMissing: boolean;
};

/** Which calls are listed: a condition, a time range, traces or all calls, and what the open view adds. */
export function TracesFilters({ text, error, isRootsOnly, calls, fields, isViewMissing }: TracesFiltersProps) {
  const [search, change] = useSearchState();
  const setText = useCallback((q: string) => change({ q }, { replace: true }), [change]);
  const isCustomRange = search.range !== undefined && !rangeOptions.some(({ value }) => value === search.range);
  return (
    <div className={styles.filters}>
      <FilterField
        text={text}
        onChange={setText}
        fields={fields}
        valuesOf={(typed) => valuesOf(calls, typedField(typed, fields))}
        error={error}
      />
      <Select
        label="Time range"
        isLabelHidden
        value={search.range ?? ''}
        options={
          isCustomRange ? [...rangeOptions, { value: search.range!, label: 'Chosen in the chart' }] : rangeOptions
        }
        onChange={(value) => change({ range: value })}
      />
      <WhichCalls isRootsOnly={isRootsOnly} onChange={(isRoots) => change({ all: isRoots ? undefined : '1' })} />
      <ViewConditions />
      {isViewMissing && (
        <p role="alert" className={styles.missing}>
          The view “{search.view}” does not exist, so all calls are shown.
        </p>
      )}
    </div>
  );
}
