import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { allTogether, decodeText, reading, throwFindings } from '#core';
import { readUnchanged } from '#host';
import type { Memo } from '#ports';
import { loadSchema } from '../json-schema.ts';
import { parseYaml } from '../parse-yaml.ts';
import { readerIdentity } from '../read-definition.ts';
import { runMemo } from '../run-memo.ts';
import { readLayers } from '../workspace-layers.ts';
import type { AppSpec } from './app-spec.ts';
import { checkAppSpec } from './check-app-spec.ts';
import { checkImageUser } from './check-image-user.ts';
import { expandLikes } from './expand-likes.ts';
import type { Site } from './site.ts';
import { specFindings } from './spec-findings.ts';
import { checkVocabulary } from './spec-version.ts';

const SCHEMA = new URL('../../schemas/app-spec.schema.json', import.meta.url);

/** An app spec from its text. Raises `yaml-invalid`, `vocabulary-version` or `app-spec-invalid` with all findings. */
export function parseAppSpec(text: string, file: string, name: string): AppSpec {
  const { value, position } = parseYaml<Omit<AppSpec, 'name' | 'position'>>(text, file, loadSchema(SCHEMA));
  checkVocabulary(value.schema, position(['schema']));
  const found = specFindings({ position });
  const spec = expandLikes({ ...value, name, position }, found);
  // What lacks a part in the end cannot be looked into.
  throwFindings(found.findings);
  throwFindings(checkAppSpec(spec));
  return spec;
}

/**
 * Every images/<name>/app.yaml below `root`, by name, and those of the workspaces it overlays whose names it does not have. Raises the
 * findings of all of them together, `app-user` where a container would run as another user than its image's.
 */
export function readAppSpecs(root: string): ReadonlyMap<string, AppSpec> {
  return readThose(root, () => true);
}

/**
 * The app specs that a site runs, and no others, since reading them takes longer than all else that is made of them; where it names one
 * that is none, all that there are, so that the one that is meant can be told. Raises what `readAppSpecs` raises, of those.
 */
export function readAppSpecsOf(root: string, site: Pick<Site, 'apps'>): ReadonlyMap<string, AppSpec> {
  const wanted = new Set(Object.entries(site.apps).map(([name, { app = name }]) => app));
  return readThose(root, (name, all) => wanted.has(name) || [...wanted].some((each) => !all.has(each)));
}

function readThose(root: string, isWanted: (name: string, all: ReadonlySet<string>) => boolean): ReadonlyMap<string, AppSpec> {
  const roots = rootsOf(root, runMemo());
  const names = new Set(
    roots
      .map((each) => join(each, 'images'))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder)),
  );
  const found = [...names].sort().flatMap((name) => {
    const files = filesOf(name, roots);
    return files === undefined ? [] : [{ name, files }];
  });
  const all = new Set(found.map(({ name }) => name));
  const those = found.filter(({ name }) => isWanted(name, all));
  return new Map(
    allTogether(
      those.map(({ name, files }) => (): [string, AppSpec] => [
        name,
        readOne(name, files, (path) => textOf(root, path, (file) => reading(file, () => readFileSync(path)))),
      ]),
    ),
  );
}

/** Raises what `readAppSpecs` raises for the app specs of these images; one that `memo` knows is not read. */
export function checkAppSpecs(root: string, names: readonly string[], memo: Memo): void {
  const roots = rootsOf(root, memo);
  allTogether(
    names.map((name) => () => {
      const files = filesOf(name, roots);
      if (files === undefined) return;
      const hashes = new Map(Object.values(files).map((path) => [path, reading(relative(root, path), () => memo.fileSha256(path))]));
      memo.recall(`app spec ${readerIdentity(memo)} ${name} ${[...hashes.values()].join(' ')}`, () => {
        readOne(name, files, (path) => textOf(root, path, (file) => readUnchanged(path, hashes.get(path)!, file)));
        return true;
      });
    }),
  );
}

/** Absolute paths of the files that an app spec is read from. */
interface AppFiles {
  readonly app: string;
  readonly image?: string;
}

/** The workspaces, the nearest first. */
function rootsOf(root: string, memo: Memo): readonly string[] {
  return readLayers(resolve(root), memo)
    .map((layer) => layer.root)
    .reverse();
}

function filesOf(name: string, roots: readonly string[]): AppFiles | undefined {
  const find = (part: string): string | undefined => roots.map((each) => join(each, 'images', name, part)).find((file) => existsSync(file));
  const [app, image] = [find('app.yaml'), find('image.yaml')];
  return app === undefined ? undefined : { app, ...(image === undefined ? {} : { image }) };
}

/** A text, and the name of its file for messages. */
interface NamedText {
  readonly text: string;
  readonly file: string;
}

function textOf(root: string, path: string, read: (file: string) => Uint8Array): NamedText {
  const file = relative(root, path);
  return { text: decodeText(read(file), file), file };
}

function readOne(name: string, { app, image }: AppFiles, read: (path: string) => NamedText): AppSpec {
  const { text, file } = read(app);
  const spec = parseAppSpec(text, file, name);
  if (image !== undefined) throwFindings(checkImageUser(spec, read(image)));
  return spec;
}
