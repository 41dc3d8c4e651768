import { Select } from '../../ui/Select.tsx';

type Props = { isRootsOnly: boolean; onChange: (isRootsOnly: boolean) => void };

/** Chooses between the roots of traces and all calls. */
export function WhichCalls({ isRootsOnly, onChange }: Props) {
  return (
    <Select
      label="Which calls"
      isLabelHidden
      value={isRootsOnly ? 'roots' : 'all'}
      options={[
        { value: 'roots', label: 'Traces' },
        { value: 'all', label: 'All calls' },
      ]}
      onChange={(value) => onChange(value === 'roots')}
    />
  );
}
