import { useId } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import fields from '../../ui/TextField.module.css';
import { TextField } from '../../ui/TextField.tsx';
import { ModelSelect } from './ModelSelect.tsx';
import styles from './SettingsForm.module.css';
import { problemOf, type SettingName, type Settings } from './settings.ts';

type SettingsFormProps = {
  settings: Settings;
  isCompared: boolean;
  onChange: (changes: Partial<Settings>) => void;
  onCompare: (isCompared: boolean) => void;
};

/** The models and how they answer. */
export function SettingsForm({ settings, isCompared, onChange, onCompare }: SettingsFormProps) {
  const id = useId();
  const number = (name: SettingName, label: string, mode: 'numeric' | 'decimal') => (
    <TextField
      label={label}
      inputMode={mode}
      placeholder="default"
      value={settings[name]}
      error={problemOf(name, settings[name])}
      onChange={({ target }) => onChange({ [name]: target.value })}
    />
  );
  return (
    <form className={styles.form} aria-label="Settings" onSubmit={(event) => event.preventDefault()}>
      <ModelSelect label="Model" value={settings.model} onChange={(model) => onChange({ model })} />
      {isCompared ? (
        <>
          <ModelSelect label="Second model" value={settings.other} onChange={(other) => onChange({ other })} />
          <Button icon="minus" onClick={() => onCompare(false)}>
            Remove second model
          </Button>
        </>
      ) : (
        <Button icon="columns" onClick={() => onCompare(true)}>
          Compare with a second model
        </Button>
      )}
      <div className={fields.field}>
        <label htmlFor={id} className={fields.label}>
          System prompt
        </label>
        <TextArea
          id={id}
          rows={4}
          value={settings.system}
          onChange={({ target }) => onChange({ system: target.value })}
        />
      </div>
      <div className={styles.numbers}>
        {number('temperature', 'Temperature', 'decimal')}
        {number('max_tokens', 'Max tokens', 'numeric')}
        {number('seed', 'Seed', 'numeric')}
      </div>
      <Select
        label="Token probabilities"
        value={settings.logprobs}
        options={probabilities}
        onChange={(logprobs) => onChange({ logprobs })}
      />
    </form>
  );
}

const probabilities = [
  { value: '', label: 'Hidden' },
  { value: '3', label: 'With 3 alternatives' },
  { value: '5', label: 'With 5 alternatives' },
  { value: '10', label: 'With 10 alternatives' },
];
