import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

interface TestCommand {
  readonly name: string;
  readonly run: readonly string[];
  readonly stdout?: string;
  readonly exitCode?: number;
}

const definition = parse(readFileSync('images/entrypoint/image.yaml', 'utf8')) as {
  tests: { commands: TestCommand[] };
};
const commands = definition.tests.commands.filter(({ run }) => run[0] === 'entrypoint');

// The image's tests run after its build; this one finds an outdated text without an engine.
it.each(commands)('prints the text that the image test expects: $name', (command) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['tools/entrypoint/src/main.ts', ...command.run.slice(1)],
    { encoding: 'utf8' },
  );
  expect([status, `${stdout}${stderr}`]).toEqual([
    command.exitCode ?? 0,
    expect.stringContaining(command.stdout ?? ''),
  ]);
});
