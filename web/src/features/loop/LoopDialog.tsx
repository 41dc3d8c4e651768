import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type Suite, suitesQuery } from '../../api/gates.ts';
import { changeLoop, createLoop, type Loop, type LoopPlan } from '../../api/loops.ts';
import { type Policy, policiesQuery } from '../../api/policies.ts';
import { parseJson, writeJson } from '../../format/json.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { ErrorMessage, Loading } from '../../ui/Status.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { notify } from '../../ui/Toasts.tsx';
import { gatesUrl, loopUrl, policiesUrl } from '../../urls.ts';
import { useProject } from '../use-project.ts';
import { LoopFields } from './LoopFields.tsx';
import styles from './LoopForm.module.css';
import { firstForm, formOf, isComplete, type LoopForm, planOf } from './loop-form.ts';
import { useDerived } from './use-derived.ts';

type LoopDialogProps = {
  /** What is changed; otherwise a new loop is made. */
  loop?: Pick<Loop, 'name' | 'plan'>;
  /** Which chats a new loop collects, as the page Traces shows them, perhaps without its time range. */
  chats?: { view: string; where: string; isWithoutRange: boolean };
  onClose: () => void;
};

/** Makes a loop, or changes its plan. */
export function LoopDialog(props: LoopDialogProps) {
  const project = useProject();
  const suites = useQuery(suitesQuery(project));
  const policies = useQuery({ ...policiesQuery(project), refetchInterval: false });
  const error = (suites.data ? null : suites.error) ?? (policies.data ? null : policies.error);
  return (
    <Dialog
      isOpen
      isWide
      onClose={props.onClose}
      title={props.loop ? `Change ${props.loop.name}` : 'New loop'}
      description={
        props.loop
          ? 'A turn that has begun keeps the plan with which it began.'
          : 'Each turn trains a candidate on rated chats, tests it on a suite, and gives it traffic in stages if it is better.'
      }
    >
      {error ? (
        <ErrorMessage error={error} onRetry={() => void Promise.all([suites.refetch(), policies.refetch()])} />
      ) : suites.data && policies.data ? (
        <Form {...props} suites={suites.data.filter(({ purpose }) => purpose === 'gate')} policies={policies.data} />
      ) : (
        <Loading label="Loading the form" lines={8} />
      )}
    </Dialog>
  );
}

type FormProps = LoopDialogProps & { suites: Suite[]; policies: Policy[] };

function Form({ loop, chats, suites, policies, onClose }: FormProps) {
  const project = useProject();
  const navigate = useNavigate();
  const [form, setForm] = useState((): LoopForm => {
    if (loop) return formOf(loop.name, loop.plan);
    const first = { suite: suites[0]?.name ?? '', policy: policies[0]?.name ?? '' };
    return { ...firstForm, ...first, view: chats?.view ?? '', where: chats?.where ?? '' };
  });
  /** The plan as JSON, while the user edits that instead of the fields. */
  const [json, setJson] = useState<string | null>(null);
  const derived = useDerived(form, suites, policies);
  const save = useMutation({
    mutationFn: async () => {
      const plan = json === null ? planOf(form, derived, loop?.plan ?? null) : planIn(json);
      if (loop) return changeLoop(project, loop.name, plan);
      return createLoop(project, form.name.trim(), plan);
    },
    onSuccess: async () => {
      notify(loop ? 'The plan is changed' : 'The loop is made');
      onClose();
      if (!loop) await navigate({ to: loopUrl(project, form.name.trim()) });
    },
  });
  const isReady = json === null ? isComplete(form) : form.name.trim() !== '';
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !save.isPending) save.mutate();
  };
  return (
    <form className={styles.form} onSubmit={onSubmit} autoComplete="off">
      {suites.length === 0 && (
        <p className={styles.missing} role="alert">
          This project has no suite for gates yet. <Link to={gatesUrl(project)}>Freeze one on the page Gates</Link>, so
          that candidates can be tested.
        </p>
      )}
      {policies.length === 0 && (
        <p className={styles.missing} role="alert">
          This project has no policy yet.{' '}
          <Link to={policiesUrl(project)}>See on the page Policies how one is made</Link>: it gives candidates their
          traffic.
        </p>
      )}
      {json === null ? (
        <LoopFields
          {...{ form, derived, suites, policies }}
          isNew={!loop}
          chatsNote={
            chats?.isWithoutRange ? 'Without the time range of Traces: each turn takes the newest chats.' : null
          }
          onChange={(changes) => setForm({ ...form, ...changes })}
        />
      ) : (
        <TextArea
          className={styles.json ?? ''}
          aria-label="Plan as JSON"
          spellCheck={false}
          value={json}
          onChange={({ target }) => setJson(target.value)}
        />
      )}
      <FormError error={save.error} />
      <div className={styles.actions}>
        {json === null ? (
          <Button
            kind="quiet"
            icon="code"
            onClick={() => setJson(writeJson(planOf(form, derived, loop?.plan ?? null), 2))}
          >
            Edit as JSON
          </Button>
        ) : (
          <Button kind="quiet" icon="arrowLeft" onClick={() => setJson(null)}>
            Discard and use the fields
          </Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={!isReady || save.isPending}>
          {loop ? 'Save' : 'Create'}
        </Button>
      </div>
    </form>
  );
}

/** The server checks what it is. @throws Error if it is not JSON */
function planIn(json: string): LoopPlan {
  try {
    return parseJson(json) as LoopPlan;
  } catch (error) {
    throw new Error(`The plan is not valid JSON: ${(error as Error).message}`);
  }
}
