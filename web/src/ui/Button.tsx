import type { ComponentProps } from 'react';
import styles from './Button.module.css';
import { Icon, type IconName } from './Icon.tsx';

type ButtonProps = ComponentProps<'button'> & {
  /** `primary` for the one main action of a view, `danger` for what cannot be undone, `quiet` beside other controls. */
  kind?: 'primary' | 'normal' | 'quiet' | 'danger';
  icon?: IconName;
};

export function Button({ kind = 'normal', icon, children, className = '', type = 'button', ...rest }: ButtonProps) {
  return (
    <button type={type} className={`${styles.button} ${styles[kind]} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> & { label: string; icon: IconName; hint?: string };

/** A button that is only an icon; its label is read out and shown on hover. */
export function IconButton({ label, icon, hint, className = '', type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      type={type}
      aria-label={label}
      data-tooltip={hint ?? label}
      className={`${styles.button} ${styles.icon} ${className}`}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
