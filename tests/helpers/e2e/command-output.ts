import { expect } from 'vitest';
import type { RunningContainer } from '#ports';

/**
 * Runs a command in a container; resolves with its trimmed stdout. Fails the test with the output
 * if the exit code is not 0.
 */
export async function commandOutput(
  container: RunningContainer,
  command: readonly string[],
): Promise<string> {
  const { exitCode, stdout, stderr } = await container.exec(command);
  expect(exitCode, `${command.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout.trim();
}
