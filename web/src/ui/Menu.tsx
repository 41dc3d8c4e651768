import { type ComponentProps, cloneElement, lazy, type ReactElement, type ReactNode, Suspense } from 'react';
import styles from './Menu.module.css';
import { useTrigger } from './use-trigger.ts';

const load = () => import('./MenuPopup.tsx');
const MenuPopup = lazy(() => load().then((module) => ({ default: module.MenuPopup })));
export const MenuItem = lazy(() => load().then((module) => ({ default: module.MenuItem })));
export const MenuSeparator = lazy(() => load().then((module) => ({ default: module.MenuSeparator })));

type MenuProps = { trigger: ReactElement<ComponentProps<'button'>>; children: ReactNode; align?: 'start' | 'end' };

/** Actions behind a button: `<Menu trigger={<Button>…</Button>}><MenuItem …/></Menu>`. */
export function Menu({ trigger, children, align = 'start' }: MenuProps) {
  const { props, opener, wasOpened } = useTrigger('menu', load);
  return (
    <>
      {cloneElement(trigger, props)}
      {wasOpened && (
        <Suspense>
          <MenuPopup opener={opener} align={align}>
            {children}
          </MenuPopup>
        </Suspense>
      )}
    </>
  );
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return <div className={styles.heading}>{children}</div>;
}
