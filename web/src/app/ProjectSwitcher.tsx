import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { projectsQuery } from '../api/projects.ts';
import { useProject } from '../features/use-project.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/Menu.tsx';
import { projectUrl } from '../urls.ts';
import styles from './ProjectSwitcher.module.css';

/** The name of the project, and the way to the last active others. The command palette finds all of them. */
export function ProjectSwitcher() {
  const { entity, project } = useProject();
  const navigate = useNavigate();
  return (
    <Menu
      trigger={
        <button type="button" className={styles.switcher}>
          <span className="visually-hidden">Switch project</span>
          <span className={styles.names}>
            <span className={styles.entity}>{entity}</span>
            <span className={styles.project}>{project}</span>
          </span>
          <Icon name="chevronsUpDown" />
        </button>
      }
    >
      <MenuItem icon="grid" onSelect={() => void navigate({ to: '/' })}>
        All projects
      </MenuItem>
      <OtherProjects />
    </Menu>
  );
}

/** They are read when the menu opens. */
function OtherProjects() {
  const { id } = useProject();
  const navigate = useNavigate();
  const { data: projects = [] } = useQuery(projectsQuery);
  const others = projects.filter((each) => each.project_id !== id).slice(0, shownMax);
  return (
    <>
      {others.length > 0 && <MenuSeparator />}
      {others.map((each) => (
        <MenuItem key={each.project_id} icon="cube" onSelect={() => void navigate({ to: projectUrl(each) })}>
          {each.project_id}
        </MenuItem>
      ))}
    </>
  );
}

const shownMax = 12;
