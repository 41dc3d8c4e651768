import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { gateQuery, isOpen } from '../../api/gates.ts';
import { isMissing } from '../../api/missing.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { GateState } from '../../features/gate/GateState.tsx';
import { modelNames } from '../../features/gate/model-name.ts';
import { useProject } from '../../features/use-project.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { evaluationResultsUrl, gatesUrl } from '../../urls.ts';
import { CancelGate } from './CancelGate.tsx';
import { Evidence } from './Evidence.tsx';
import { GateFacts } from './GateFacts.tsx';
import styles from './GatePage.module.css';
import { Guardrails } from './Guardrails.tsx';
import { headlineOf } from './headline.ts';
import { Plan } from './Plan.tsx';
import { SignedVerdict } from './SignedVerdict.tsx';
import { SuiteUse } from './SuiteUse.tsx';
import { TargetChart } from './TargetChart.tsx';
import { Watched } from './Watched.tsx';

/** A gate: its verdict in words, and the evidence for it. */
export function Page() {
  const project = useProject();
  const { gateId = '' } = useParams({ strict: false }) as { gateId?: string };
  const { data: gate, error, refetch } = useQuery(gateQuery(project, gateId));
  usePageTitle(gate && modelNames(gate).candidate, 'Gates', project.project);
  if (error && !gate) return isMissing(error) ? <NoGate /> : <ErrorMessage error={error} onRetry={refetch} />;
  if (!gate) return <Loading label="Loading the gate" lines={8} />;
  const [candidate, incumbent] = [gate.candidate, gate.incumbent].map(({ evaluation_call_id: id }) => id) as [
    string,
    string,
  ];
  const { guardrails, watched, threads } = gate.progress;
  const title = modelNames(gate);
  return (
    <>
      <PageHeader
        title={`${title.candidate} or ${title.incumbent}?`}
        actions={
          <>
            <Link className={styles.link} to={evaluationResultsUrl(project, [incumbent, candidate])}>
              <Icon name="columns" /> Compare the answers
            </Link>
            {isOpen(gate) && <CancelGate gate={gate} />}
          </>
        }
      >
        <GateState {...gate} />
      </PageHeader>
      <div className={styles.page}>
        <section className={styles.verdict} data-verdict={gate.verdict ?? gate.state} aria-label="Verdict">
          <h2 className={styles.headline}>{headlineOf(gate)}</h2>
          <GateFacts gate={gate} />
          {gate.error !== null && <ErrorNote isAnnounced={false}>{gate.error}</ErrorNote>}
        </section>
        {isOpen(gate) || threads > 0 ? (
          <>
            <Evidence gate={gate} />
            <TargetChart gate={gate} />
            {guardrails.length > 0 && <Guardrails gate={gate} />}
            {watched.length > 0 && <Watched gate={gate} />}
          </>
        ) : (
          <p className={styles.note}>No thread was compared, so it does not count as a candidate of the suite.</p>
        )}
        <SuiteUse gate={gate} />
        {gate.verdict !== null && <SignedVerdict gate={gate} />}
        <Plan gate={gate} />
        <p className={styles.note}>{gate.tests}</p>
      </div>
    </>
  );
}

function NoGate() {
  const project = useProject();
  return (
    <Empty icon="search" title="This gate does not exist" actions={<Link to={gatesUrl(project)}>Show all gates</Link>}>
      The address is of another project, or the project was deleted.
    </Empty>
  );
}
