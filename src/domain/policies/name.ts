/** How a request names a policy. */
export type PolicyName = { project: string; name: string };

const shape = /^policy:\/\/\/([^/:]+)\/([^/:]+)\/([^/:]+)$/;

/** The parts of `policy:///entity/project/name`; null for a name of another form. */
export function parsePolicyName(text: string): PolicyName | null {
  const [, entity, project, name] = shape.exec(text) ?? [];
  return name === undefined ? null : { project: `${entity}/${project}`, name };
}

export function formatPolicyName({ project, name }: PolicyName): string {
  return `policy:///${project}/${name}`;
}

export function isPolicyName(text: string): boolean {
  return text.startsWith('policy:///');
}
