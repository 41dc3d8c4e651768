import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Project, projectsQuery } from '../../api/projects.ts';
import { sessionQuery } from '../../api/session.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { Sparkline } from '../../components/Sparkline.tsx';
import { StartPage } from '../../components/StartPage.tsx';
import { TimeAgo } from '../../components/TimeAgo.tsx';
import { StartLines } from '../../features/start/StartLines.tsx';
import { formatCount } from '../../format/numbers.ts';
import { usePageTitle } from '../../hooks/use-page-title.ts';
import { Empty, ErrorMessage, Loading } from '../../ui/Status.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { projectUrl } from '../../urls.ts';
import styles from './ProjectsPage.module.css';

/** The projects of the user with their activity, the last active first. */
export function Page() {
  usePageTitle('Projects');
  const [text, setText] = useState('');
  const { data: projects, error, refetch } = useQuery(projectsQuery);
  const { data: session } = useQuery(sessionQuery);
  if (!projects) return error ? <ErrorMessage error={error} onRetry={refetch} /> : <Loading label="Loading projects" />;
  if (projects.length === 0) return <FirstProject entity={session?.entity ?? ''} />;
  const found = projects.filter(({ project_id }) => project_id.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <>
      <PageHeader
        title="Projects"
        actions={
          projects.length > searchFrom && (
            <TextField
              label="Search projects"
              isLabelHidden
              type="search"
              placeholder="Search projects"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )
        }
      />
      {found.length === 0 ? (
        <Empty icon="search" title={`No project contains “${text}”`} />
      ) : (
        <ul className={styles.list}>
          {found.map((project) => (
            <ProjectLine key={project.project_id} project={project} />
          ))}
        </ul>
      )}
    </>
  );
}

/** With fewer projects, a search field is only in the way. */
const searchFrom = 8;

function ProjectLine({ project }: { project: Project }) {
  const { entity, daily_traces, daily_errors, last_trace_at } = project;
  const traces = sum(daily_traces);
  const errors = sum(daily_errors);
  return (
    <li className={styles.line}>
      <Link to={projectUrl(project)} className={styles.link}>
        <span className={styles.name}>
          <span className={styles.entity}>{entity} /</span> {project.project}
        </span>
        <span className={styles.activity}>
          <Sparkline
            counts={daily_traces}
            errors={daily_errors}
            label={`${traces} traces in the last ${daily_traces.length} days, ${errors} failed`}
          />
        </span>
        <span className={styles.count}>
          {formatCount(traces)} {traces === 1 ? 'trace' : 'traces'} in {daily_traces.length} days
          {errors > 0 && <span className={styles.errors}> · {formatCount(errors)} failed</span>}
        </span>
        <span className={styles.time}>{last_trace_at ? <TimeAgo time={last_trace_at} /> : 'no traces yet'}</span>
      </Link>
    </li>
  );
}

function FirstProject({ entity }: { entity: string }) {
  return (
    <StartPage title="Trace your first program">
      <p>A project is created by the first program that writes to it. Set these variables, then run the program.</p>
      <StartLines projectId={`${entity}/my-project`} />
    </StartPage>
  );
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
