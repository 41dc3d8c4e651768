import { settingsObject } from '../../domain/tensorzero/settings.ts';
import type { Owner } from '../../services/owner.ts';
import type { Services } from '../../services/services.ts';
import { isRefusal } from '../../util/failures.ts';
import { toJson } from '../../util/json/write.ts';
import type { Converted } from './configuration.ts';
import { type Report, refuse } from './report.ts';

type Parts = Pick<Services, 'objects' | 'policies'>;

/** Publishes what a configuration was converted to. A policy that exists stays as it is; an object gets a version if it differs. */
export async function applyConfiguration(
  { objects, policies }: Parts,
  owner: Owner,
  converted: Converted,
  report: Report,
) {
  const { project, caller } = owner;
  report.notes.push(...converted.notes);
  for (const reason of converted.refused) refuse(report, reason);

  async function publish(what: string, objectId: string, value: unknown): Promise<void> {
    await attempt(`${what} ${objectId}`, async () => {
      const { versionIndex } = await objects.publish({ projectId: project.id, objectId, value: toJson(value), caller });
      report.made.push({ what, name: objectId, outcome: `version v${versionIndex}` });
    });
  }

  async function attempt(place: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refuse(report, `${place}: ${error.message}`);
    }
  }

  for (const [name, value] of converted.providers) await publish('provider', name, value);
  for (const [name, content] of converted.prompts) await publish('prompt', name, promptOf(content));
  await publish('settings', settingsObject, converted.settings);
  const existing = new Set((await policies.list(owner)).map(({ policy }) => policy.name));
  for (const { name, plan } of converted.policies) {
    if (existing.has(name)) {
      report.made.push({ what: 'policy', name, outcome: 'exists, and stays as it is' });
      continue;
    }
    await attempt(`functions.${name}`, async () => {
      await policies.create(owner, name, { plan, reason: 'imported from TensorZero' });
      report.made.push({ what: 'policy', name, outcome: 'version 1' });
    });
  }
}

function promptOf(content: string) {
  const ofClass = { _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] };
  return { ...ofClass, name: null, description: null, messages: [{ role: 'system', content }] };
}
