import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LoopPlan } from '../../api/loops.ts';
import { savedViewsQuery } from '../../api/saved-views.ts';
import { FactLine, FactList } from '../../components/FactList.tsx';
import { scheduleText } from '../../features/loop/NextTurn.tsx';
import { whereText } from '../../features/loop/where-text.ts';
import { useProject } from '../../features/use-project.ts';
import { gatesUrl, policiesUrl, projectUrl, trainedModelUrl } from '../../urls.ts';
import styles from './LoopPage.module.css';
import { approverText, budgetText, gateText, guardText, methodText, scoreText, stagesText } from './plan-text.ts';

/** The plan of a loop in words. */
export function Plan({ plan }: { plan: LoopPlan }) {
  const project = useProject();
  const { rollout } = plan;
  return (
    <section className={styles.section} aria-labelledby="plan">
      <h2 id="plan">Plan</h2>
      <FactList>
        <FactLine name="Chats">
          <Chats chats={plan.chats} />
        </FactLine>
        <FactLine name="Score">{scoreText(plan.scorer)}</FactLine>
        <FactLine name="Method">{methodText(plan.method)}</FactLine>
        <FactLine name="Model">
          <Link to={trainedModelUrl(project, plan.model)}>{plan.model}</Link> over{' '}
          {plan.base_model ?? 'the default base model of the server'}
        </FactLine>
        <FactLine name="Suite">
          <Link to={gatesUrl(project, plan.suite)}>{plan.suite}</Link>
        </FactLine>
        <FactLine name="Gate">{gateText(plan.gate)}</FactLine>
        <FactLine name="Policy">
          <Link to={policiesUrl(project, rollout.policy)}>{rollout.policy}</Link>
        </FactLine>
        <FactLine name="Stages">{stagesText(rollout)}</FactLine>
        {(rollout.scorers ?? []).map((guard) => (
          <FactLine key={guard.reward} name="Guard">
            {guardText(guard)}
          </FactLine>
        ))}
        <FactLine name="Budget">{budgetText(plan.budget)}</FactLine>
        <FactLine name="Approver">{approverText(plan.approver)}</FactLine>
        <FactLine name="Schedule">{scheduleText(plan.every_hours)}</FactLine>
      </FactList>
    </section>
  );
}

function Chats({ chats: { view, where } }: { chats: LoopPlan['chats'] }) {
  const project = useProject();
  const { data: views = [] } = useQuery(savedViewsQuery(project.id));
  const found = views.find(({ name, label }) => name === view || label === view);
  return (
    <>
      {view != null && (
        <>
          the saved view{' '}
          {found ? (
            <Link to={projectUrl(project)} search={{ view: found.name } as never}>
              {found.label}
            </Link>
          ) : (
            view
          )}
        </>
      )}
      {view != null && where != null && ', and '}
      {where != null && <code title={where}>{whereText(where) ?? where}</code>}
    </>
  );
}
