import { Link } from '@tanstack/react-router';
import { parseObjectRef } from '../refs.ts';
import { versionUrl } from '../urls.ts';

/** A link to the version that a ref names; other texts are shown as they are. */
export function RefLink({ value }: { value: string }) {
  const ref = parseObjectRef(value);
  if (ref === null) return <span>{value}</span>;
  return (
    <Link to={versionUrl(ref, ref)} title={value}>
      {ref.name}
    </Link>
  );
}
