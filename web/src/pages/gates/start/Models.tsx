import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { servedModelsQuery } from '../../../api/chat-models.ts';
import { objectsQuery } from '../../../api/objects.ts';
import fieldStyles from '../../../components/FieldList.module.css';
import { useProject } from '../../../features/use-project.ts';
import { Fold } from '../../../ui/Fold.tsx';
import { numberField } from '../../../ui/number-field.ts';
import { TextField } from '../../../ui/TextField.tsx';
import { type GateForm, isByName, type ModelForm, type ParamsForm } from './gate-form.ts';
import styles from './StartGate.module.css';

type ModelsProps = {
  form: GateForm;
  /** The names of published models. */
  published: string[];
  onChange: (changes: Partial<GateForm>) => void;
};

/** The two models, and what those are asked with that are given by name. */
export function Models({ form, published, onChange }: ModelsProps) {
  const { id: projectId } = useProject();
  const listId = useId();
  const { data: served = [] } = useQuery(servedModelsQuery(projectId));
  const names = new Set([...published, ...served.map(({ id }) => id)]);
  const { candidate, incumbent, params } = form;
  const hasNames = [candidate, incumbent].some((model) => isByName(model, published));
  return (
    <div>
      <div className={styles.pair}>
        <Model
          label="Candidate"
          hint="A published completion model, or a model that heddle serves."
          autoFocus
          model={candidate}
          {...{ listId, published }}
          onChange={(changed) => onChange({ candidate: changed })}
        />
        <Model
          label="Incumbent"
          hint="The model that the candidate would replace."
          model={incumbent}
          {...{ listId, published }}
          onChange={(changed) => onChange({ incumbent: changed })}
        />
      </div>
      {hasNames && <Params params={params} onChange={(changed) => onChange({ params: changed })} />}
      <datalist id={listId}>
        {[...names].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

type ModelProps = {
  label: 'Candidate' | 'Incumbent';
  hint: string;
  autoFocus?: boolean;
  model: ModelForm;
  listId: string;
  published: string[];
  onChange: (model: ModelForm) => void;
};

function Model({ label, hint, autoFocus, model, listId, published, onChange }: ModelProps) {
  const { id: projectId } = useProject();
  const promptListId = useId();
  const { data: objects = [] } = useQuery(objectsQuery(projectId));
  const prompts = objects.filter(({ base_object_class }) => base_object_class === 'Prompt');
  return (
    <div className={styles.stack}>
      <TextField
        label={label}
        hint={hint}
        autoFocus={autoFocus}
        list={listId}
        spellCheck={false}
        placeholder="my-model or my-model:v2"
        value={model.name}
        onChange={({ target }) => onChange({ ...model, name: target.value })}
      />
      {isByName(model, published) && (
        <>
          <TextField
            label={`Prompt of the ${label.toLowerCase()}`}
            hint="A published prompt. Its variables, such as {question}, are columns of the suite."
            list={promptListId}
            spellCheck={false}
            placeholder="none, or my-prompt:v2"
            value={model.prompt}
            onChange={({ target }) => onChange({ ...model, prompt: target.value })}
          />
          <datalist id={promptListId}>
            {prompts.map(({ object_id }) => (
              <option key={object_id} value={object_id} />
            ))}
          </datalist>
        </>
      )}
    </div>
  );
}

/** Messages and parameters of models that are given by name. */
function Params({ params, onChange }: { params: ParamsForm; onChange: (params: ParamsForm) => void }) {
  return (
    <Fold summary="Messages and sampling of models by name">
      <TextField
        label="System message"
        value={params.system}
        onChange={({ target }) => onChange({ ...params, system: target.value })}
      />
      <TextField
        label="Message"
        placeholder="{question}"
        hint="For a model without a prompt. By default, it gets the column user_input."
        value={params.message}
        onChange={({ target }) => onChange({ ...params, message: target.value })}
      />
      <TextField
        label="Temperature"
        className={fieldStyles.number ?? ''}
        {...numberField(params.temperature, (temperature) => onChange({ ...params, temperature }))}
      />
      <TextField
        label="Most tokens"
        className={fieldStyles.number ?? ''}
        {...numberField(params.tokensMax, (tokensMax) => onChange({ ...params, tokensMax }))}
      />
    </Fold>
  );
}
