import type { ObjectVersion } from '../../api/objects.ts';

/** `v3 · latest · prod` */
export function versionTitle({ version_index, aliases }: ObjectVersion): string {
  return [`v${version_index}`, ...(aliases ?? [])].join(' · ');
}
