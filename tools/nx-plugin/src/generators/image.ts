import type { Tree } from '@nx/devkit';
import { CcpError, imageName, suggestName } from '#core';
import { readWorkspace, runMemo, type Workspace } from '#definitions';
import { imageFiles } from './image-files.ts';
import { withText } from './with-text.ts';

export interface ImageOptions {
  readonly name: string;
  readonly base?: string;
  /** Debian packages, separated by commas. */
  readonly packages?: string;
  readonly title?: string;
  readonly description?: string;
}

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
    const packages = (options.packages ?? name).split(',').filter((each) => each !== '');
    const { title = name, description = `The service ${name}.` } = options;
    const uid = nextUid(workspace);
    const files = imageFiles({ name, base, packages, title, description, uid });
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

function nextUid({ images }: Workspace): number {
  return 1 + Math.max(FIRST_UID, ...images.flatMap(({ user }) => user?.uid ?? []));
}
