import { useEffect, useState } from 'react';
import { copyText } from '../hooks/copy-text.ts';
import { Button, IconButton } from './Button.tsx';

/** Copies a text and says so for a moment. Without `children` it is only an icon. */
export function CopyButton({
  text,
  label = 'Copy',
  children,
}: {
  text: string | (() => string);
  label?: string;
  children?: string;
}) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => void copyText(typeof text === 'string' ? text : text()).then(setIsCopied);
  const icon = isCopied ? 'check' : 'copy';
  return (
    <>
      {children === undefined ? (
        <IconButton label={label} hint={isCopied ? 'Copied' : label} icon={icon} onClick={copy} />
      ) : (
        <Button icon={icon} onClick={copy}>
          {isCopied ? 'Copied' : children}
        </Button>
      )}
      <span role="status" className="visually-hidden">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  );
}
