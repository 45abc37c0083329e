import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { isPair, isScalar, parseDocument, visit, type Scalar } from 'yaml';
import { CcpError, imageName, suggestName, type ImageName } from '#core';
import { readWorkspace, runMemo, type ImageDefinition, type Workspace } from '#definitions';
import { readSite, siteNames } from '#definitions/deploy';
import { readLock, writeLock } from '#locks';

/** Changed files of a rename, by path relative to the workspace. */
export type FileEdits = ReadonlyMap<string, string>;

/**
 * The edits of other files if an image of this workspace gets another name: parents, images of app
 * specs, and lists of overlay.yaml. Throws `usage` if the image cannot be renamed, and
 * `name-invalid`.
 */
export function renameEdits(root: string, from: string, to: string): FileEdits {
  const workspace = readWorkspace(root, runMemo());
  imageName(to);
  checkRename(workspace, from, to);
  const folders = readdirSync(join(root, 'images'));
  const files = [
    'overlay.yaml',
    ...folders.flatMap((name) =>
      ['image.yaml', 'overlay.yaml', 'app.yaml'].map((file) => `images/${name}/${file}`),
    ),
  ];
  return new Map(
    files.flatMap((file): [string, string][] => {
      if (!existsSync(join(root, file))) return [];
      const text = readFileSync(join(root, file), 'utf8');
      const edited = replaceName(text, from, to);
      return edited === text ? [] : [[file, edited]];
    }),
  );
}

/**
 * Moves the folder of an image, and puts the name into its locks: their content does not depend on
 * it.
 */
export function moveImage(root: string, from: string, to: string): void {
  renameSync(join(root, 'images', from), join(root, 'images', to));
  const { images, series } = readWorkspace(root, runMemo());
  const definition = images.find(({ name }) => name === to)!;
  for (const { name } of series) {
    if (!existsSync(join(root, 'images', to, 'lock', `${name}.yaml`))) continue;
    const lock = readLock({ ...definition, name: from as ImageName }, name);
    writeLock(definition, { ...lock, image: definition.name });
  }
}

function checkRename({ root, images }: Workspace, from: string, to: string): void {
  const refuse = (message: string, hint: string): never => {
    throw new CcpError({ code: 'usage', message, hint });
  };
  const isOwn = ({ name }: ImageDefinition): boolean => existsSync(join(root, 'images', name));
  const own = images.filter(isOwn).map(({ name }) => name as string);
  if (!own.includes(from)) refuse(`this workspace has no image "${from}"`, suggestName(from, own));
  if (images.some(({ name }) => name === to) || existsSync(join(root, 'images', to)))
    refuse(`images/${to} exists already`, 'choose another name');
  const site = siteNames(root).find((name) => Object.hasOwn(readSite(root, name).apps, from));
  if (site !== undefined)
    refuse(
      `the site ${site} deploys ${from}: another name would replace its objects in the cluster`,
      `remove ${from} from apps in deploy-specs/${site}/site.yaml first`,
    );
}

/** Replaces the name where a file refers to an image; everything else keeps its bytes. */
function replaceName(text: string, from: string, to: string): string {
  const found: Scalar[] = [];
  visit(parseDocument(text), {
    Scalar: (key, node, path) => {
      if (node.value !== from || key === 'key') return;
      const keys = path.filter(isPair).map((pair) => (isScalar(pair.key) ? pair.key.value : ''));
      if (keys[0] === 'parents' || keys.at(-1) === 'image' || keys.at(-1) === 'images')
        found.push(node);
    },
  });
  return found
    .toReversed()
    .reduce((edited, { range }) => edited.slice(0, range![0]) + to + edited.slice(range![1]), text);
}
