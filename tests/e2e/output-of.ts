import { expect } from 'vitest';
import type { RunningContainer } from '#ports';

/** Runs a command in a container; gives what it printed, without white space around it. Fails the test with all it printed where it does not end with 0. */
export async function outputOf(container: RunningContainer, command: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await container.exec(command);
  expect(exitCode, `${command.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout.trim();
}
