import { Command, Option } from 'commander';
import { expect, it } from 'vitest';
import { helpDocument, keepExamples } from './help-document.ts';

it('describes commands, arguments, options and examples as data', () => {
  const program = new Command('ccp').description('builds images').option('-q, --quiet', 'less');
  const build = program.command('build <site> [images...]').description('build them');
  build.addOption(new Option('-j, --jobs <number>', 'parallel images').default(2));
  build.addOption(new Option('--origin <name>', 'where from').choices(['git', 'archive']));
  keepExamples(build, ['ccp build local']);
  expect(helpDocument(program)).toEqual({
    command: 'ccp',
    description: 'builds images',
    arguments: [],
    options: [{ long: '--quiet', short: '-q', description: 'less' }],
    examples: [],
    commands: [
      {
        command: 'ccp build',
        description: 'build them',
        arguments: [
          { name: 'site', required: true, variadic: false },
          { name: 'images', required: false, variadic: true },
        ],
        options: [
          {
            long: '--jobs',
            short: '-j',
            value: 'number',
            description: 'parallel images',
            default: 2,
          },
          {
            long: '--origin',
            value: 'name',
            description: 'where from',
            choices: ['git', 'archive'],
          },
        ],
        examples: ['ccp build local'],
        commands: [],
      },
    ],
  });
});
