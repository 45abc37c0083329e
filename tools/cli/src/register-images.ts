import { Option } from 'commander';
import type { RegisterCommand } from './command.ts';
import { collect, count } from './commands/option-values.ts';
import { collectGroups } from './commands/test/test-groups.ts';

/** Registers the image commands at the top level of the program. */
export function registerImages(verb: RegisterCommand): void {
  verb(
    'build [images...]',
    'build images from their lock files, or from a plan file',
    async () => (await import('./commands/build.ts')).build,
    [
      new Option(
        '--engine <endpoint>',
        'container engine to build on (unix:// or tcp://); repeat it to spread the images over several engines',
      ).argParser(collect),
      new Option('-j, --jobs <number>', 'number of images to build in parallel').argParser(count),
      new Option('--no-cache', "build without the engine's build cache"),
      new Option('--rebuild', 'also build images that are already in the store'),
      new Option('--offline', 'use only cached inputs; fail if one is missing'),
      new Option('--all', 'build every image of the series (the default)'),
    ],
  );
  verb(
    'plan [images...]',
    'show which images must be built, and why; uses no engine, and the network only once, to check that git hosts are reachable',
    async () => (await import('./commands/plan.ts')).plan,
    [new Option('-o, --output <file>', 'write a plan file, for `ccp build FILE`')],
  );
  verb(
    'explain <image>',
    'show the inputs of an image that changed since the last build or a plan file',
    async () => (await import('./commands/explain.ts')).explain,
    [new Option('--against <file>', 'compare with this plan file')],
  );
  verb(
    'graph [images...]',
    'show which images are based on which',
    async () => (await import('./commands/graph.ts')).graph,
  );
  verb(
    'lock [images...]',
    'resolve exact versions of all inputs and write lock files',
    async () => (await import('./commands/lock.ts')).lock,
    [
      new Option('--check', 'write nothing; report lock files that are out of date'),
      new Option('--update', 'update locked inputs to newer versions'),
    ],
  );
  verb(
    'fetch [images...]',
    'download all locked inputs into the cache',
    async () => (await import('./commands/fetch.ts')).fetchInputs,
    [new Option('--offline', 'download nothing; report missing inputs')],
  );
  verb(
    'render <site>',
    'print the Kubernetes objects of a site in deploy-specs/',
    async () => (await import('./commands/render.ts')).render,
    [
      new Option('-o, --output <file>', 'write the objects to a file'),
      new Option('--chart <folder>', 'write the objects to a folder as a Helm chart'),
      new Option(
        '--set <file>',
        'manifest of the image set to deploy (default: that of the last build)',
      ),
    ],
  );
  verb(
    'run <image> [command...]',
    'run a command in a built image, without network access',
    async () => (await import('./commands/run.ts')).run,
    [
      new Option('--user <user>', 'user to run the command as'),
      new Option('--engine <endpoint>', 'container engine to run it on'),
    ],
  );
  verb(
    'inspect <image>',
    'show the layers and inputs of a built image',
    async () => (await import('./commands/inspect.ts')).inspect,
    [new Option('--verify', 'also verify the digest of every blob')],
  );
  verb(
    'test [patterns...]',
    'install the packages that the tests need and run the tests of ccp itself: all groups but long, or the files that match the patterns (a file, a folder, a part of a path, a glob)',
    async () => (await import('./commands/test.ts')).test,
    [
      new Option('--fast', 'skip tests that need an engine or a cluster'),
      new Option(
        '--all',
        'also run tests that take many minutes: a whole cloud, sources of master',
      ).conflicts('fast'),
      new Option(
        '--group <name>',
        'run only the tests of this group (fast, engine, slow or long); repeat to run several',
      )
        .argParser(collectGroups)
        .conflicts(['fast', 'all']),
    ],
  );
  verb(
    'cache [action]',
    'show the size of the input cache (show) or delete unused inputs from it (prune)',
    async () => (await import('./commands/cache.ts')).cache,
    [
      new Option(
        '--days <number>',
        'with prune: delete inputs that are in no lock file and unused for this number of days (default: 30)',
      ).argParser(count),
    ],
  );
  verb(
    'clean',
    'delete stored images that are in no image set, all logs but those of the last run, and the names of stored images on engines',
    async () => (await import('./commands/clean.ts')).clean,
    [
      new Option('--all', 'delete the whole state of the workspace: store, logs, records'),
      new Option(
        '--build-cache',
        'delete only the build cache of the private engine, which all workspaces share',
      ),
      new Option('--engine', 'only stop the private engine and delete its data'),
    ],
  );
}
