import type { Tree } from '@nx/devkit';
import { CcpError, imageName, suggestName, throwFindings } from '#core';
import { parseImage, readWorkspace, runMemo, type Workspace } from '#definitions';
import { imageFiles } from './image-files.ts';
import { withText } from './with-text.ts';

export interface ImageOptions {
  readonly name: string;
  readonly base?: string;
  /** Debian packages, separated by commas or blanks. */
  readonly packages?: string;
  readonly title?: string;
  readonly description?: string;
}

/** Names by Debian's policy, section 5.6.1. */
const PACKAGE = /^[a-z0-9][a-z0-9+.-]+$/;

/** Bytes of the packages of a new image. */
const ROOM = 100e6;

/** First user id of generated images, if no image has a user. */
const FIRST_UID = 42400;

/** Creates an image's definition and template: the first two of the four steps of the guide. */
export default function generateImage(tree: Tree, options: ImageOptions): () => void {
  return withText(() => {
    const workspace = readWorkspace(tree.root, runMemo());
    const name = imageName(options.name);
    const base = baseOf(workspace, options.base);
    if (workspace.images.some((image) => image.name === name) || tree.exists(`images/${name}`))
      throw new CcpError({
        code: 'usage',
        message: `images/${name} exists already`,
        hint: 'choose another name',
      });
    const packages = packagesOf(options.packages ?? name);
    const { title = name, description = `The service ${name}.` } = options;
    const uid = nextUid(workspace);
    const budget = budgetOf(workspace, base);
    const files = imageFiles({ name, base, packages, title, description, uid, budget });
    parseImage(name, [{ text: files['image.yaml'], file: `images/${name}/image.yaml` }]);
    for (const [file, text] of Object.entries(files)) tree.write(`images/${name}/${file}`, text);
    return () =>
      process.stdout.write(
        `\nNext:\n  edit images/${name}/image.yaml and Dockerfile.njk\n  ./ccp lock ${name} --series all\n  ./ccp build ${name}\n`,
      );
  });
}

function baseOf({ images }: Workspace, given = 'debian-base'): string {
  const names = images.map(({ name }) => name as string);
  if (names.includes(given)) return given;
  throw new CcpError({
    code: 'usage',
    message: `the workspace has no image "${given}" for --base`,
    hint: suggestName(given, names),
  });
}

/** The package names without duplicates. Throws `usage` with every invalid one. */
function packagesOf(given: string): readonly string[] {
  const names = [...new Set(given.split(/[\s,]+/).filter((each) => each !== ''))];
  throwFindings(
    names
      .filter((each) => !PACKAGE.test(each))
      .map(
        (each) =>
          new CcpError({
            code: 'usage',
            message: `"${each}" in --packages is not the name of a Debian package`,
            hint: 'use names such as redis-server, separated by commas or blanks',
          }),
      ),
  );
  return names;
}

/** The budget of the base and room for packages, as a size; undefined if the base has no budget. */
function budgetOf({ images }: Workspace, base: string): string | undefined {
  const bytes = images.find(({ name }) => name === base)?.sizeBudget;
  return bytes === undefined ? undefined : `${Math.ceil((bytes + ROOM) / 1e6)}MB`;
}

function nextUid({ images }: Workspace): number {
  return 1 + Math.max(FIRST_UID, ...images.flatMap(({ user }) => user?.uid ?? []));
}
