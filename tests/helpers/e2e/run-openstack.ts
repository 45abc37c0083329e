import type { RunningContainer } from '#ports';
import { commandOutput } from './command-output.ts';

/**
 * Runs `openstack ARGS` in a container of openstackclient; resolves with its JSON output. Fails the
 * test with the output if the exit code is not 0.
 */
export async function runOpenstack(
  client: RunningContainer,
  args: readonly string[],
): Promise<Record<string, unknown>> {
  return JSON.parse(
    await commandOutput(client, ['openstack', ...args, '--format', 'json']),
  ) as Record<string, unknown>;
}
