import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { parseObjectRef } from '../refs.ts';
import { versionUrl } from '../urls.ts';

/** A link to the version that a ref names, with its name or another text; texts that are not refs are shown as they are. */
export function RefLink({ value, children }: { value: string; children?: ReactNode }) {
  const ref = parseObjectRef(value);
  if (ref === null) return <span>{children ?? value}</span>;
  return (
    <Link to={versionUrl(ref, ref)} title={value}>
      {children ?? ref.name}
    </Link>
  );
}
