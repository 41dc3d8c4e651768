import { useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { type Session, signOut } from '../api/session.ts';
import { useProject } from '../features/use-project.ts';
import { useHotkeys } from '../hooks/use-hotkeys.ts';
import { setTheme } from '../hooks/use-theme.ts';
import { IconButton } from '../ui/Button.tsx';
import { notifyError } from '../ui/Toasts.tsx';
import { projectUrl } from '../urls.ts';
import { type Command, useCommands } from './commands.ts';
import { projectPages } from './pages.ts';
import styles from './Shell.module.css';
import { Sidebar } from './Sidebar.tsx';

const CommandPalette = lazy(() =>
  import('./CommandPalette.tsx').then((module) => ({ default: module.CommandPalette })),
);

/** The navigation beside a page. On a narrow screen it opens over the page. */
export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes
  useEffect(() => setIsMenuOpen(false), [pathname]);
  useShellCommands();
  useHotkeys({ 'mod+k': () => setIsPaletteOpen((isOpen) => !isOpen), ...usePageHotkeys() });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#page">
        Skip to the page
      </a>
      <div className={styles.bar}>
        <IconButton
          label="Open navigation"
          icon="menu"
          aria-expanded={isMenuOpen}
          onClick={() => setIsMenuOpen(true)}
        />
        <span className={styles.name}>heddle</span>
        <IconButton label="Search commands" icon="search" onClick={() => setIsPaletteOpen(true)} />
      </div>
      {isMenuOpen && <div className={styles.backdrop} onPointerDown={() => setIsMenuOpen(false)} />}
      <div className={`${styles.sidebar} ${isMenuOpen ? styles.open : ''}`}>
        <Sidebar session={session} onSearch={() => setIsPaletteOpen(true)} />
      </div>
      <main id="page" className={styles.page} tabIndex={-1}>
        {children}
      </main>
      {isPaletteOpen && (
        <Suspense>
          <CommandPalette onClose={() => setIsPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** `g` and a letter opens a page of the project. */
function usePageHotkeys(): Record<string, () => void> {
  const project = useProject();
  const navigate = useNavigate();
  if (project.entity === '') return {};
  return Object.fromEntries(
    projectPages.flatMap(({ letter, path }) =>
      letter ? [[`g ${letter}`, () => void navigate({ to: projectUrl(project, path) })]] : [],
    ),
  );
}

function useShellCommands(): void {
  const { entity, project } = useProject();
  const navigate = useNavigate();
  const commands = useMemo((): Command[] => {
    const go = (to: string) => () => void navigate({ to });
    const pages = projectPages.flatMap(({ title, icon, path, letter }): Command[] =>
      icon === undefined || entity === ''
        ? []
        : [
            {
              ...{ title, icon, group: `${entity}/${project}`, run: go(projectUrl({ entity, project }, path)) },
              ...(letter ? { shortcut: `g ${letter}` } : {}),
            },
          ],
    );
    return [
      ...pages,
      { title: 'All projects', group: 'Projects', icon: 'grid', run: go('/') },
      { title: 'Light theme', group: 'Appearance', icon: 'sun', keywords: 'mode', run: () => setTheme('light') },
      { title: 'Dark theme', group: 'Appearance', icon: 'moon', keywords: 'mode', run: () => setTheme('dark') },
      {
        title: 'Theme of the system',
        group: 'Appearance',
        icon: 'gear',
        keywords: 'mode',
        run: () => setTheme('system'),
      },
      {
        title: 'API documentation',
        group: 'Server',
        icon: 'code',
        keywords: 'openapi docs',
        run: () => window.open('/docs'),
      },
      {
        title: 'Sign out',
        group: 'Server',
        icon: 'signOut',
        keywords: 'log out',
        run: () => void signOut().catch(notifyError),
      },
    ];
  }, [entity, project, navigate]);
  useCommands(commands);
}
