import type { ModelReference } from '../../chat/types.ts';
import type { CompletionInputs } from '../../contract/completions/inputs.ts';
import { isWebUrl } from '../../domain/objects/public-url.ts';
import { knownProviderOf } from '../../providers/known-providers.ts';
import { Failure, invalidInput, notFound } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { ServedModels } from '../models/served-models.ts';
import type { Owner } from '../owner.ts';
import type { Secret, Secrets } from '../secrets/secrets.ts';
import { type Headers, headersFrom } from './headers.ts';
import { type ObjectReader, parsedMember, stringMember } from './read-object.ts';

/** The backend of a model: heddle's engine or a provider. */
export type ModelRoute =
  | { kind: 'own'; model: ModelReference }
  | {
      kind: 'provider';
      /** The model's name at the provider. */
      model: string;
      baseUrl: string;
      headers: Headers;
    };

type Parts = { models: Pick<ServedModels, 'find' | 'names'>; objects: ObjectReader; secrets: Secrets };

/**
 * Finds what serves a model:
 * - `custom::PROVIDER::MODEL`, or the ref of a `ProviderModel`: a published `Provider` of the project.
 * - A model that heddle serves, by its name.
 * - `PROVIDER/MODEL` of a well-known provider, or the name of one of its models.
 * @throws Failure if no provider does, or if the provider's API key is missing
 */
export async function routeOf(parts: Parts, inputs: CompletionInputs, owner: Owner): Promise<ModelRoute> {
  const name = inputs.model;
  if (name === '') throw invalidInput('No model specified in request');
  const extra = inputs.extra_headers === null ? {} : headersFrom(parsePlain(inputs.extra_headers.text));
  if (name.startsWith('custom::')) return customRoute(parts, namedCustom(name), extra, owner);
  if (name.startsWith('weave:///')) return customRoute(parts, { modelObject: name }, extra, owner);
  const own = await parts.models.find(name, owner.caller);
  if (own) return { kind: 'own', model: own };
  const known = knownProviderOf(name);
  if (!known) throw await unknownModel(parts, name);
  const { provider, model, isGuessed } = known;
  const { api_key: given, ...headers } = extra;
  if (provider.name === 'coreweave' && given !== undefined) {
    return providerRoute({ model, baseUrl: provider.baseUrl, headers, key: given });
  }
  if (isGuessed && (await parts.secrets.find(owner.project.id, provider.keyName)) === null) {
    throw await unknownModel(parts, name);
  }
  const { value: key } = await mustFind(parts.secrets, provider.keyName, provider.baseUrl, owner);
  return providerRoute({ model, baseUrl: provider.baseUrl, headers, key });
}

/** Names the models that exist. */
async function unknownModel({ models }: Parts, name: string): Promise<Failure> {
  const served = await models.names();
  const shown = served.slice(0, namesMax).join(', ') + (served.length > namesMax ? ', …' : '');
  return notFound(
    `There is no model ${name.slice(0, 200)}. heddle serves ${shown || 'none'}. Write the provider before the names of other ` +
      'models (openai/gpt-4o), or publish a Provider and use custom::PROVIDER::MODEL.',
  );
}

const namesMax = 20;

type CustomModel = { modelObject: string; provider?: string; model?: string };

function namedCustom(name: string): CustomModel {
  const [, provider, ...rest] = name.split('::');
  const model = rest.join('::');
  if (!provider || !model) throw invalidInput(`${name.slice(0, 200)} is not of the form custom::PROVIDER::MODEL.`);
  return { modelObject: `${objectIdOf(provider)}-${objectIdOf(model)}`, provider: objectIdOf(provider), model };
}

function objectIdOf(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}

async function customRoute(
  { objects, secrets }: Parts,
  { modelObject, provider, model }: CustomModel,
  extra: Headers,
  owner: Owner,
): Promise<ModelRoute> {
  const providerModel = await objects.read('Provider model', modelObject, owner);
  const ref = provider ?? stringMember(providerModel, 'provider');
  if (ref === null) throw invalidInput(`${modelObject} is not a ProviderModel: it has no provider.`);
  const members = await objects.read('Provider', ref, owner);
  const baseUrl = stringMember(members, 'base_url') ?? '';
  if (!isWebUrl(baseUrl)) {
    throw invalidInput(`The base_url of the provider ${ref} is not a valid provider URL`);
  }
  const own = parsedMember(members, 'extra_headers');
  const headers = { ...headersFrom(isObject(own) ? own : {}), ...extra };
  const keyName = stringMember(members, 'api_key_name') ?? '';
  const key = keyName === '' ? null : (await mustFind(secrets, keyName, baseUrl, owner)).value;
  const sentName = stringMember(providerModel, 'name') || model || modelObject;
  return providerRoute({ model: sentName, baseUrl, headers, key });
}

async function mustFind(secrets: Secrets, keyName: string, baseUrl: string, { project }: Owner): Promise<Secret> {
  const secret = await secrets.find(project.id, keyName);
  if (secret === null) {
    throw new Failure(
      'invalidInput',
      `No API key found: the secret ${keyName} is not set for ${project.name}. Set it with \`heddle secrets set ${keyName}\`.`,
      { api_key: keyName },
    );
  }
  const { host, hostname } = new URL(baseUrl);
  if (secret.hosts.length === 0 || secret.hosts.includes(host) || secret.hosts.includes(hostname)) return secret;
  throw new Failure(
    'forbidden',
    `The secret ${keyName} may be sent only to ${secret.hosts.join(', ')}, not to ${host}. To allow it, set it again with --host.`,
  );
}

function providerRoute(of: { model: string; baseUrl: string; headers: Headers; key: string | null }): ModelRoute {
  const { model, baseUrl, headers, key } = of;
  const authorization: Headers = key === null ? {} : { authorization: `Bearer ${key}` };
  return { kind: 'provider', model, baseUrl, headers: { ...headers, ...authorization } };
}
