import type { RunningContainer } from '#ports';
import { outputOf } from './output-of.ts';

/** What `openstack ARGS` answers, asked in a container of openstackclient. Fails the test with all it printed where it does not end with 0. */
export async function openstackOf(client: RunningContainer, args: readonly string[]): Promise<Record<string, unknown>> {
  return JSON.parse(await outputOf(client, ['openstack', ...args, '--format', 'json'])) as Record<string, unknown>;
}
