import { type ComponentProps, cloneElement, lazy, type ReactElement, type ReactNode, Suspense } from 'react';
import { useTrigger } from './use-trigger.ts';

const load = () => import('./PopoverPopup.tsx');
const PopoverPopup = lazy(() => load().then((module) => ({ default: module.PopoverPopup })));

type PopoverProps = {
  trigger: ReactElement<ComponentProps<'button'>>;
  /** Read out as the name of what opens. */
  label: string;
  align?: 'start' | 'end';
  children: ReactNode;
  isOpen?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
};

/** Controls that open below a button, such as a form or a list to choose from. */
export function Popover({ trigger, label, align = 'start', children, isOpen, onOpenChange }: PopoverProps) {
  const { props, opener, wasOpened } = useTrigger('dialog', load, { isOpen, onOpenChange });
  return (
    <>
      {cloneElement(trigger, props)}
      {wasOpened && (
        <Suspense>
          <PopoverPopup opener={opener} label={label} align={align}>
            {children}
          </PopoverPopup>
        </Suspense>
      )}
    </>
  );
}
