import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../contract/ids.ts';
import type { BaseModel, Model, NewModel } from '../../domain/model.ts';
import { Failure, notFound } from '../../util/failures.ts';
import type { Disk } from '../disk/disk.ts';
import { openKept } from '../peers/kept.ts';
import type { Peers } from '../peers/peers.ts';
import { findModel, findModelById, findModelsWithoutSlash, listModels } from '../postgres/models/find-models.ts';
import { fromRow, toRow } from '../postgres/models/model-row.ts';
import { deleteModel, saveModel } from '../postgres/models/save-model.ts';
import type { Postgres } from '../postgres/postgres.ts';
import { syncDirectory } from '../sync-directory.ts';

/** The models that are served: their files are in a directory, their metadata is in PostgreSQL. */
export type Models = {
  /** Built-in models first, the others by name. */
  list(): Promise<Model[]>;
  find(name: string): Promise<Model | null>;
  /**
   * The same for the name in a request: clients that split a name at the slash write `-` in its place. The model whose
   * name is exactly this takes precedence. @throws Failure if several are spelled so
   */
  findInRequest(name: string): Promise<Model | null>;
  /** A folder for the files of an incomplete model: the same for the same key, so that a pull can resume. */
  stage(key: string): Promise<string>;
  /** The space that other files may use, here or in another folder. On this disk, the reserve is left out. */
  freeBytes(folder?: string): Promise<number>;
  /** Discards the staged files. */
  unstage(key: string): Promise<void>;
  /**
   * Calls `work` with the files of a model or an adapter: its folder, or its GGUF file. They stay until it is removed.
   * @throws Failure if there is none with this id
   */
  withFiles<Result>(model: BaseModel, work: (path: string) => Promise<Result>): Promise<Result>;
  /**
   * Whether the files of a model are on this machine. Processes with data directories of their own each need them. Those of a model
   * that other servers run are set for each process alike.
   */
  hasFiles(model: BaseModel): Promise<boolean>;
  /** The ids of all models and adapters whose files are on this machine. */
  idsWithFiles(): Promise<string[]>;
  /** Keeps the staged files as those of a model that is served already. */
  addFiles(key: string, model: Model): Promise<void>;
  /** Serves the complete staged model, replacing a model with the same name. */
  adopt(key: string, model: NewModel, id?: string): Promise<Model>;
  /** Stops serving the model and deletes its files, here and soon at the other processes. */
  remove(model: Model): Promise<void>;
};

/** A model that comes with heddle, and its folder. */
type BuiltInModel = Model & { path: string };

/** Models that other servers run now. `folder`: their text files here; null if there are none. */
export type RemoteModels = () => readonly (Model & { folder: string | null })[];

const knownMax = 1000;

/** How long the files of an interrupted pull are kept. */
const unfinishedKeptMs = 14 * 24 * 3600 * 1000;

export async function openModels(
  directory: string,
  postgres: Postgres,
  builtIn: BuiltInModel[],
  peers: Peers,
  disk?: Disk,
  remote: RemoteModels = () => [],
): Promise<Models> {
  await sweep(directory, postgres);
  const builtInModels = builtIn.map(({ path: _, ...model }): Model => model);
  /** Models that were found, since each request to a model looks for it. Cleared when a model is added or removed. */
  const known = openKept<Model>(peers, ['models'], knownMax);
  /** The paths of their files, by id. */
  const paths = openKept<string>(peers, ['models'], knownMax);
  /** Those whose files are in place before their row is written. */
  const adding = new Set<string>();
  let removing = Promise.resolve();
  if (!peers.isAlone) {
    peers.on('models', () => {
      removing = removing.then(removeGone).catch(() => {}); // the next notice, or the next start, tries again
    });
  }

  /** Deletes the files of models that other processes have removed. */
  async function removeGone(): Promise<void> {
    const names = (await folderNames(directory)).filter((name) => !adding.has(name)); // before the rows: what comes later stays
    await removeWithoutRow(directory, names, postgres);
  }

  /** A name that another server has is not looked for here. */
  async function find(name: string): Promise<Model | null> {
    const there = remote().find((model) => model.name === name);
    return there ? withoutFolder(there) : findHere(name);
  }

  function findHere(name: string): Promise<Model | null> {
    return known.getOrRead(name, async () => {
      const row = await findModel(postgres, name);
      return row ? fromRow(row) : (builtInModels.find((each) => each.name === name) ?? null);
    });
  }

  /** Models that other servers run take the place of those here with the same names. */
  function withRemote(here: Model[]): Model[] {
    const there = remote().map(withoutFolder);
    return [...here.filter(({ name }) => !there.some((each) => each.name === name)), ...there];
  }

  async function pathOf({ id, name }: BaseModel): Promise<string> {
    const there = remote().find((model) => model.id === id);
    if (there) return there.folder ?? refuse(withoutFiles(name));
    const ofBuiltIn = builtIn.find((model) => model.id === id)?.path;
    if (ofBuiltIn !== undefined) return ofBuiltIn;
    const path = await paths.getOrRead(id, async () => {
      const row = await findModelById(postgres, id);
      if (!row) return null;
      return row.weights_file === null ? join(directory, id) : join(directory, id, row.weights_file);
    });
    if (path === null) throw notFound(`The model ${name} is no longer served.`, { param: 'model' });
    return path;
  }

  return {
    find,
    async findInRequest(name) {
      const exact = await find(name);
      if (exact !== null || name.includes('/')) return exact;
      const rows = await findModelsWithoutSlash(postgres, name);
      const found = withRemote([...builtInModels, ...rows.map((row) => fromRow(row))]).filter(
        (model) => withoutSlash(model.name) === name,
      );
      if (found.length > 1) throw ambiguous(name, found);
      return found[0] ?? null;
    },
    async list() {
      const rows = await listModels(postgres);
      return withRemote([...builtInModels, ...rows.map((row) => fromRow(row))]);
    },
    hasFiles: async (model) => remote().some(({ id }) => id === model.id) || existsSync(await pathOf(model)),
    async idsWithFiles() {
      return [...builtIn.map(({ id }) => id), ...(await folderNames(directory))];
    },
    async withFiles(model, work) {
      const path = await pathOf(model);
      if (!peers.isAlone && !existsSync(path)) throw elsewhere(model);
      return work(path);
    },
    async addFiles(key, { id }) {
      await rename(stagingPath(directory, key), join(directory, id));
      await syncDirectory(directory);
    },
    async stage(key) {
      const folder = stagingPath(directory, key);
      await mkdir(folder, { recursive: true });
      return folder;
    },
    async freeBytes(folder = directory) {
      const [{ bavail, bsize }, own, other] = await Promise.all([statfs(folder), stat(directory), stat(folder)]);
      return bavail * bsize - (own.dev === other.dev ? (disk?.reserveBytes ?? 0) : 0);
    },
    unstage: (key) => rm(stagingPath(directory, key), { recursive: true, force: true }),
    async adopt(key, model, id = newId()) {
      adding.add(id);
      await rename(stagingPath(directory, key), join(directory, id)); // the row is written last, so that the files it names exist
      await syncDirectory(directory);
      const replaced = await saveModel(postgres, toRow(id, model)).finally(() => peers.notify('models', model.name));
      adding.delete(id); // unless saving has failed, since the row may be written nevertheless
      if (replaced) await rm(join(directory, replaced), { recursive: true, force: true });
      return (await findHere(model.name))!;
    },
    async remove({ id, name }) {
      await deleteModel(postgres, id).finally(() => peers.notify('models', name)); // the row is deleted first: if the process ends here, the sweep finds the files
      await rm(join(directory, id), { recursive: true, force: true });
    },
  };
}

function elsewhere({ name }: BaseModel): Failure {
  const message = `The files of ${name} are not in the data directory of this process, nor of another one that responds. Bring them here with \`heddle pull\`.`;
  return new Failure('unavailable', message, { param: 'model' });
}

function withoutFolder({ folder: _, ...model }: ReturnType<RemoteModels>[number]): Model {
  return model;
}

function withoutFiles(name: string): Failure {
  const message = `The files of ${name} are not known here. Set HEDDLE_VLLM_MODELS=${name}=FOLDER.`;
  return new Failure('unsupported', message, { param: 'model' }, { rule: message });
}

function refuse(failure: Failure): never {
  throw failure;
}

function withoutSlash(name: string): string {
  return name.replace('/', '-');
}

function ambiguous(name: string, found: Model[]): Failure {
  const names = found.map((model) => model.name).join(' and ');
  const message = `${name} may be ${names}. Write the name with its slash.`;
  return new Failure('invalidInput', message, { param: 'model' });
}

function stagingPath(directory: string, key: string): string {
  return join(directory, unfinished, createHash('sha256').update(key).digest('hex').slice(0, 32));
}

const unfinished = 'unfinished';

/**
 * Deletes folders without a row, left behind if a process ended between creating a folder and its row, and old
 * unfinished pulls.
 */
async function sweep(directory: string, postgres: Postgres): Promise<void> {
  await mkdir(join(directory, unfinished), { recursive: true });
  await removeWithoutRow(directory, await folderNames(directory), postgres);
  for (const name of await readdir(join(directory, unfinished))) {
    const folder = join(directory, unfinished, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > unfinishedKeptMs) await rm(folder, { recursive: true, force: true });
  }
}

async function folderNames(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name !== unfinished);
}

async function removeWithoutRow(directory: string, names: string[], postgres: Postgres): Promise<void> {
  const known = new Set((await listModels(postgres)).map(({ id }) => id));
  for (const name of names) {
    if (!known.has(name)) await rm(join(directory, name), { recursive: true, force: true });
  }
}
