import { existsSync, readdirSync, statSync, type Stats } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import {
  collectErrors,
  decodeText,
  omitUndefined,
  reading,
  throwFindings,
  type Sha256,
} from '#core';
import { readBounded, readUnchanged } from '#host';
import type { Memo } from '#ports';
import { checkDefinitionStat, MAX_DEFINITION } from '../definition-size.ts';
import { loadSchema } from '../json-schema.ts';
import { parseYaml } from '../parse-yaml.ts';
import { readerIdentity } from '../read-definition.ts';
import { runMemo } from '../run-memo.ts';
import { readLayers } from '../workspace-layers.ts';
import type { AppSpec } from './app-spec.ts';
import { checkAppSpec } from './check-app-spec.ts';
import { CONFIG_FOLDER, listConfigFiles, readConfigFiles } from './config-files.ts';
import { checkImageUser } from './check-image-user.ts';
import { expandLikes } from './expand-likes.ts';
import type { Site } from './site.ts';
import { specFindings } from './spec-findings.ts';
import { checkVocabulary } from './spec-version.ts';

const SCHEMA = new URL('../../schemas/app-spec.schema.json', import.meta.url);

/**
 * Parses an app spec. `readPart` returns the text of a file in its folder `config`. Raises
 * `yaml-invalid`, `vocabulary-version` or `app-spec-invalid` with all findings.
 */
export function parseAppSpec(
  text: string,
  file: string,
  name: string,
  readPart: (path: string) => string | undefined = () => undefined,
): AppSpec {
  const { value, position } = parseYaml<Omit<AppSpec, 'name' | 'position'>>(
    text,
    file,
    loadSchema(SCHEMA),
  );
  checkVocabulary(value.schema, position(['schema']));
  const found = specFindings({ position });
  const likes = expandLikes({ ...value, name, position }, found);
  const spec = readConfigFiles(likes, readPart, found);
  // The other checks expect complete entries.
  throwFindings(found.findings);
  throwFindings(checkAppSpec(spec));
  return spec;
}

/**
 * Every images/<name>/app.yaml of `root` and of the workspaces that it overlays, by name; upper
 * workspaces win. Raises the findings of all app specs together; `app-user` if the user of an app
 * spec differs from its image's.
 */
export function readAppSpecs(root: string): ReadonlyMap<string, AppSpec> {
  return readSelected(root, () => true);
}

/**
 * The app specs that a site uses; reading only these saves most of a command's time. If the site
 * names an unknown app, all app specs are read, so that a message can suggest the nearest name.
 * Raises what `readAppSpecs` raises.
 */
export function readAppSpecsOf(
  root: string,
  site: Pick<Site, 'apps'>,
): ReadonlyMap<string, AppSpec> {
  const wanted = namesOf(site);
  return readSelected(
    root,
    (name, all) => wanted.has(name) || [...wanted].some((each) => !all.has(each)),
  );
}

/**
 * The app specs of a site in workspaces that overlay another one; they replace those of an image
 * set. Raises what `readAppSpecs` raises.
 */
export function readOverlayAppSpecs(
  root: string,
  site: Pick<Site, 'apps'>,
): ReadonlyMap<string, AppSpec> {
  const wanted = namesOf(site);
  return readSelected(
    root,
    (name) => wanted.has(name),
    (roots) => roots.slice(0, -1),
  );
}

function namesOf({ apps }: Pick<Site, 'apps'>): ReadonlySet<string> {
  return new Set(Object.entries(apps).map(([name, { app = name }]) => app));
}

/** `select` selects the workspaces, uppermost first, whose app specs are read. */
function readSelected(
  root: string,
  isWanted: (name: string, all: ReadonlySet<string>) => boolean,
  select: (roots: readonly string[]) => readonly string[] = (roots) => roots,
): ReadonlyMap<string, AppSpec> {
  const roots = rootsOf(root, runMemo());
  const names = new Set(
    select(roots)
      .map((each) => join(each, 'images'))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder)),
  );
  const found = [...names].sort().flatMap((name) => {
    const files = filesOf(name, select(roots), roots);
    return files === undefined ? [] : [{ name, files }];
  });
  const all = new Set(found.map(({ name }) => name));
  const wanted = found.filter(({ name }) => isWanted(name, all));
  return new Map(
    collectErrors(
      wanted.map(({ name, files }) => (): [string, AppSpec] => [
        name,
        readOne(name, files, (path) =>
          textOf(root, path, (file) => {
            statDefinition(path, file);
            return reading(file, () => readBounded(path, MAX_DEFINITION, file));
          }),
        ),
      ]),
    ),
  );
}

/** An app spec as files, as an image set contains it. */
export interface AppSpecListing {
  /** Format version of the app spec. */
  readonly schema: string;
  /** SHA-256 by path: `app.yaml` and the files below `config` that it names. */
  readonly files: Readonly<Record<string, Sha256>>;
  /** Text of one of the files. Raises `file-changed` if it has another SHA-256 now. */
  readonly read: (path: string) => string;
}

/**
 * The app specs of these images as files; images without one are left out. Raises what
 * `readAppSpecs` raises; valid app specs are stored in `memo`.
 */
export function listAppSpecs(
  root: string,
  names: readonly string[],
  memo: Memo,
): ReadonlyMap<string, AppSpecListing> {
  const roots = rootsOf(root, memo);
  return new Map(
    collectErrors(
      names.flatMap((name) => {
        const files = filesOf(name, roots);
        if (files === undefined) return [];
        return [(): [string, AppSpecListing] => [name, listOne(root, name, files, memo)]];
      }),
    ),
  );
}

function listOne(root: string, name: string, files: AppFiles, memo: Memo): AppSpecListing {
  const hashes = new Map(
    [files.app, files.image ?? [], files.parts].flat().map((path) => {
      const file = relative(root, path);
      const stat = statDefinition(path, file);
      return [path, reading(file, () => memo.fileSha256(path, stat))];
    }),
  );
  const read = (path: string): NamedText =>
    textOf(root, path, (file) => readUnchanged(path, hashes.get(path)!, file));
  const { schema, parts } = memo.recall(
    `app spec files ${readerIdentity(memo)} ${name} ${[...hashes].map(([path, hash]) => `${relative(dirname(files.app), path)} ${hash}`).join(' ')}`,
    () => {
      const used = new Set<string>();
      const spec = readOne(name, files, read, (part) => used.add(part));
      return { schema: spec.schema, parts: [...used].sort() };
    },
  );
  const inFolder = (path: string): string => join(dirname(files.app), path);
  const paths = ['app.yaml', ...parts.map((part) => `${CONFIG_FOLDER}/${part}`)];
  return {
    schema,
    files: Object.fromEntries(paths.map((path) => [path, hashes.get(inFolder(path))!])),
    read: (path) => read(inFolder(path)).text,
  };
}

/** Absolute paths of the files that an app spec is read from. */
interface AppFiles {
  readonly app: string;
  readonly image?: string;
  /** Files in its folder `config`. */
  readonly parts: readonly string[];
}

/** The workspaces, uppermost first. */
function rootsOf(root: string, memo: Memo): readonly string[] {
  return readLayers(resolve(root), memo)
    .map((layer) => layer.root)
    .reverse();
}

/** The first app spec in `roots`, and the first image.yaml in `imageRoots`. */
function filesOf(name: string, roots: readonly string[], imageRoots = roots): AppFiles | undefined {
  const find = (part: string, folders: readonly string[]): string | undefined =>
    folders.map((each) => join(each, 'images', name, part)).find((file) => existsSync(file));
  const [app, image] = [find('app.yaml', roots), find('image.yaml', imageRoots)];
  if (app === undefined) return undefined;
  return { app, ...omitUndefined({ image }), parts: listConfigFiles(dirname(app)) };
}

function statDefinition(path: string, file: string): Stats {
  const stat = reading(file, () => statSync(path));
  checkDefinitionStat(stat, file);
  return stat;
}

/** A text with the name of its file for messages. */
interface NamedText {
  readonly text: string;
  readonly file: string;
}

function textOf(root: string, path: string, read: (file: string) => Uint8Array): NamedText {
  const file = relative(root, path);
  return { text: decodeText(read(file), file), file };
}

function readOne(
  name: string,
  { app, image, parts }: AppFiles,
  read: (path: string) => NamedText,
  onPart: (part: string) => void = () => undefined,
): AppSpec {
  const { text, file } = read(app);
  const spec = parseAppSpec(text, file, name, (part) => {
    const path = join(dirname(app), CONFIG_FOLDER, part);
    if (!parts.includes(path)) return undefined;
    onPart(part);
    return read(path).text;
  });
  if (image !== undefined) throwFindings(checkImageUser(spec, read(image)));
  return spec;
}
