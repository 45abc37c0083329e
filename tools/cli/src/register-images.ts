import { Option } from 'commander';
import { collect, count } from './option-values.ts';
import type { Verb } from './program.ts';

/** The commands about images, at the top of the program. */
export function registerImages(verb: Verb): void {
  verb('build [images...]', 'build images from their locks, or exactly what a plan file says', async () => (await import('./commands/build.ts')).build, [
    new Option('--engine <endpoint>', 'engine to build on (unix:// or tcp://); given several times, the images are spread over them').argParser(collect),
    new Option('-j, --jobs <number>', 'images built at the same time').argParser(count),
    new Option('--no-cache', "do not use the engine's build cache"),
    new Option('--rebuild', 'build also what the store has already'),
    new Option('--offline', 'use only inputs that are in the cache'),
    new Option('--all', 'every image of the series, which is the default too'),
  ]);
  verb(
    'plan [images...]',
    'say what must be built, and why; no engine, and network only once: to find out whether git hosts answer',
    async () => (await import('./commands/plan.ts')).plan,
    [new Option('-o, --output <file>', 'write the plan file that `ccp build FILE` takes')],
  );
  verb('explain <image>', 'name the inputs that differ from the last build, or from a plan file', async () => (await import('./commands/explain.ts')).explain, [
    new Option('--against <file>', 'compare with this plan file'),
  ]);
  verb('graph [images...]', 'show the layers of images', async () => (await import('./commands/graph.ts')).graph);
  verb('lock [images...]', 'resolve and write lock files', async () => (await import('./commands/lock.ts')).lock, [
    new Option('--check', 'only say whether locks answer their definitions'),
    new Option('--update', 'take newer versions where there are some'),
  ]);
  verb('fetch [images...]', 'fill the cache with every locked input', async () => (await import('./commands/fetch.ts')).fetchInputs, [
    new Option('--offline', 'only say what is missing'),
  ]);
  verb('render <site>', 'give the Kubernetes objects of a site of deploy-specs/', async () => (await import('./commands/render.ts')).render, [
    new Option('-o, --output <file>', 'write them to a file'),
    new Option('--chart <folder>', 'write them to a folder as a Helm chart'),
    new Option('--set <file>', "the image set's manifest; that of the last build where absent"),
  ]);
  verb('run <image> [command...]', 'run a command in a built image, without network', async () => (await import('./commands/run.ts')).run, [
    new Option('--user <user>', 'run as another user'),
    new Option('--engine <endpoint>', 'engine to run it on'),
  ]);
  verb('inspect <image>', 'show what a built image is made of', async () => (await import('./commands/inspect.ts')).inspect, [
    new Option('--verify', 'read every blob again'),
  ]);
  verb('test', 'get what is needed and run the tests of the project', async () => (await import('./commands/test.ts')).test, [
    new Option('--fast', 'leave out the tests that need an engine or a cluster'),
    new Option('--all', 'add those that take many minutes: a whole cloud, sources of master').conflicts('fast'),
  ]);
  verb('cache [action]', 'show the cache of inputs, or prune it', async () => (await import('./commands/cache.ts')).cache, [
    new Option('--days <number>', 'with prune: drop what no lock names and nothing read for so many days (30)').argParser(count),
  ]);
  verb(
    'clean',
    'drop stored images that no image set names, the logs of all runs but the last, and what engines remember of the store',
    async () => (await import('./commands/clean.ts')).clean,
    [
      new Option('--all', "drop the workspace's whole state: store, logs, records"),
      new Option('--build-cache', "drop the private engine's build cache, which all workspaces share, and nothing else"),
      new Option('--engine', 'end the private engine and drop its data, and nothing else'),
    ],
  );
}
