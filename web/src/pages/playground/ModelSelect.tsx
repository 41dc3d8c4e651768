import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { providerModelsQuery, servedModelsQuery, trainedModelsOnceQuery } from '../../api/chat-models.ts';
import { servedName } from '../../api/training.ts';
import { useProject } from '../../features/use-project.ts';
import fields from '../../ui/TextField.module.css';
import { TextField } from '../../ui/TextField.tsx';

type ModelSelectProps = { label: string; value: string; onChange: (model: string) => void };

const another = '\0other'; // no model has this name

/** A model that heddle serves, that is trained here, of a published provider, or any other by its name. */
export function ModelSelect({ label, value, onChange }: ModelSelectProps) {
  const id = useId();
  const groups = useModelGroups();
  const [isOther, setIsOther] = useState(false);
  const isListed = groups.some(({ models }) => models.some(({ name }) => name === value));
  const showsName = isOther || (value !== '' && !isListed);
  return (
    <>
      <div className={fields.field}>
        <label htmlFor={id} className={fields.label}>
          {label}
        </label>
        <select
          id={id}
          className={fields.input}
          value={showsName ? another : value}
          onChange={({ target }) => {
            setIsOther(target.value === another);
            onChange(target.value === another ? '' : target.value);
          }}
        >
          {value === '' && !showsName && <option value="">Choose a model</option>}
          {groups.map(({ title, models }) => (
            <optgroup key={title} label={title}>
              {models.map(({ name, text }) => (
                <option key={name} value={name}>
                  {text}
                </option>
              ))}
            </optgroup>
          ))}
          <option value={another}>Other model …</option>
        </select>
      </div>
      {showsName && (
        <TextField
          label={`Name of ${label.toLowerCase()}`}
          value={value}
          placeholder="openai/gpt-4o"
          hint="PROVIDER/MODEL, custom::PROVIDER::MODEL, or a checkpoint such as wandb-artifact:///entity/project/name:step3. Keys are set with: heddle secrets set OPENAI_API_KEY"
          onChange={({ target }) => onChange(target.value.trim())}
        />
      )}
    </>
  );
}

type Group = { title: string; models: { name: string; text: string }[] };

function useModelGroups(): Group[] {
  const project = useProject();
  const { data: served = [] } = useQuery(servedModelsQuery(project.id));
  const { data: trained = [] } = useQuery(trainedModelsOnceQuery(project));
  const { data: providers = [] } = useQuery(providerModelsQuery(project.id));
  const groups = [
    { title: 'Served by heddle', models: served.map(({ id }) => ({ name: id, text: id })) },
    {
      title: 'Trained in this project',
      models: trained.map((model) => ({ name: servedName(model), text: `${model.name} (latest checkpoint)` })),
    },
    { title: 'Of providers', models: providers.map(({ name, ref }) => ({ name: ref, text: name })) },
  ];
  return groups.filter(({ models }) => models.length > 0);
}
