import type { ProjectConfiguration, TargetConfiguration } from '@nx/devkit';
import type { ImageDefinition, SeriesDefinition } from '#definitions';

/** A project with its name and its folder relative to the workspace. */
export type NamedProject = ProjectConfiguration & { readonly name: string; readonly root: string };

/**
 * Result folders of a build, relative to the workspace; they also have the results of other images.
 */
const OUTPUTS = ['{workspaceRoot}/.ccp/store', '{workspaceRoot}/.ccp/sets'];

export interface ImageProject {
  readonly image: ImageDefinition;
  /** Folder relative to the workspace. */
  readonly root: string;
  readonly inputs: readonly string[];
  /** The series that contain the image. */
  readonly series: readonly SeriesDefinition[];
  /** The command line of `ccp`, relative to the workspace. */
  readonly ccp: string;
}

/**
 * The project of an image. Each target works on all stable series; a configuration, or `--series`,
 * selects one. Nothing is cached by Nx, since `ccp` knows exactly which images are up to date.
 */
export function imageProject({ image, root, inputs, series, ccp }: ImageProject): NamedProject {
  const target = (more: TargetConfiguration, description: string): TargetConfiguration => ({
    ...more,
    cache: false,
    inputs: [...inputs],
    configurations: Object.fromEntries(series.map(({ name }) => [name, { series: name }])),
    metadata: { description },
  });
  const command = (words: string): TargetConfiguration => ({
    executor: 'nx:run-commands',
    options: { command: `${ccp} ${words}`, cwd: '{workspaceRoot}', series: 'all' },
  });
  const { name, title } = image;
  return {
    name,
    root,
    projectType: 'application',
    tags: [
      'image',
      image.shipped ? 'shipped' : 'build-only',
      ...Object.keys(image.parents).map((role) => `has-${role}`),
    ],
    metadata: { description: image.description },
    targets: {
      build: target(
        {
          executor: '.:build',
          outputs: OUTPUTS,
          dependsOn: ['^build'],
          options: { series: 'all' },
        },
        `Builds ${title} from its locks in every stable series.`,
      ),
      test: target(
        {
          executor: '.:build',
          outputs: OUTPUTS,
          options: { series: 'all', retest: true },
        },
        `Runs the tests of ${title} again, and builds it before if it is not in the store.`,
      ),
      validate: target(
        command(`validate ${name}`),
        `Checks the definition, the template, the files, the locks and the app spec of ${title}.`,
      ),
      'lock-check': target(
        command(`lock ${name} --check`),
        `Checks that the locks of ${title} and of its parents are up to date.`,
      ),
    },
  };
}
