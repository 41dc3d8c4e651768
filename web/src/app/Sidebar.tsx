import { Link, useLocation } from '@tanstack/react-router';
import { type Session, signOut } from '../api/session.ts';
import { Logo } from '../features/Logo.tsx';
import { useProject } from '../features/use-project.ts';
import { shortcutText } from '../hooks/use-hotkeys.ts';
import { type Theme, useTheme } from '../hooks/use-theme.ts';
import { IconButton } from '../ui/Button.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { Kbd } from '../ui/Kbd.tsx';
import { Menu, MenuHeading, MenuItem, MenuSeparator } from '../ui/Menu.tsx';
import { notifyError } from '../ui/Toasts.tsx';
import { projectUrl } from '../urls.ts';
import { ProjectSwitcher } from './ProjectSwitcher.tsx';
import { projectPages } from './pages.ts';
import styles from './Sidebar.module.css';

export function Sidebar({ session, onSearch }: { session: Session; onSearch: () => void }) {
  const project = useProject();
  const { pathname } = useLocation();
  const marked = projectPages.find(({ path }) => pathname.startsWith(projectUrl(project, path.split('$')[0])))?.within;
  return (
    <div className={styles.sidebar}>
      <Link to="/" className={styles.brand}>
        <Logo /> heddle
      </Link>
      <button type="button" className={styles.search} onClick={onSearch}>
        <Icon name="search" />
        <span>Search</span>
        <Kbd>{shortcutText('mod+k')}</Kbd>
      </button>
      <nav aria-label="Pages" className={styles.nav}>
        {project.entity === '' ? (
          <>
            <Entry to="/" icon="grid" title="Projects" />
            <Entry to="/settings" icon="gear" title="Settings" />
          </>
        ) : (
          <>
            <ProjectSwitcher />
            {projectPages.map(
              ({ path, title, icon }) =>
                icon && (
                  <Entry
                    key={path}
                    to={projectUrl(project, path)}
                    icon={icon}
                    title={title}
                    isMarked={path === marked}
                  />
                ),
            )}
          </>
        )}
      </nav>
      <Account session={session} />
    </div>
  );
}

type EntryProps = { to: string; icon: IconName; title: string; isMarked?: boolean };

/** Marked while its page is open, or one that belongs to it. */
function Entry({ to, icon, title, isMarked = false }: EntryProps) {
  return (
    <Link
      to={to}
      aria-current={isMarked ? 'page' : undefined}
      className={styles.entry}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Icon name={icon} />
      {title}
    </Link>
  );
}

function Account({ session }: { session: Session }) {
  const [theme, setTheme] = useTheme();
  const choice = (value: Theme, title: string, icon: IconName) => (
    <MenuItem icon={icon} onSelect={() => setTheme(value)} hint={theme === value ? <Icon name="check" /> : undefined}>
      {title}
    </MenuItem>
  );
  return (
    <div className={styles.account}>
      <Icon name="user" />
      <span className={styles.user}>{session.username}</span>
      <Menu align="end" trigger={<IconButton label="Account and appearance" icon="gear" />}>
        <MenuHeading>heddle {session.server_version}</MenuHeading>
        {choice('light', 'Light', 'sun')}
        {choice('dark', 'Dark', 'moon')}
        {choice('system', 'As the system', 'gear')}
        <MenuSeparator />
        <MenuItem icon="code" onSelect={() => window.open('/docs')}>
          API documentation
        </MenuItem>
        <MenuItem icon="signOut" onSelect={() => void signOut().catch(notifyError)}>
          Sign out
        </MenuItem>
      </Menu>
    </div>
  );
}
