import type { ComponentProps } from 'react';
import styles from './TextArea.module.css';

/** A field of several lines. Its label is beside it. */
export function TextArea({ className = '', ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={`${styles.area} ${className}`} {...rest} />;
}
