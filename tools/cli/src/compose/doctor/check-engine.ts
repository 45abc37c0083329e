import type { FoundEngines } from '#engines';
import type { MachineFinding } from '../../report/doctor-text.ts';

/** Machine facts that the check of engines needs. */
export interface EngineReaders {
  readonly findEngines: () => Promise<FoundEngines>;
  readonly isRoot: boolean;
  /** True if `dockerd` is installed. */
  readonly hasDockerd: () => boolean;
}

/** A finding for each engine, or for the way to one. */
export async function checkEngine({
  findEngines,
  isRoot,
  hasDockerd,
}: EngineReaders): Promise<readonly MachineFinding[]> {
  const { endpoints, unreachable } = await findEngines();
  const check = 'engine';
  if (unreachable.length > 0)
    return unreachable.map((endpoint) => ({
      check,
      outcome: 'failed',
      detail: `the configured engine ${endpoint} does not respond`,
      hint: 'start the engine, or fix DOCKER_HOST or "engines" in the settings',
    }));
  if (endpoints.length > 0)
    return endpoints.map((endpoint) => ({
      check,
      outcome: 'ok',
      detail: `${endpoint} responds`,
    }));
  if (!isRoot)
    return [
      {
        check,
        outcome: 'failed',
        detail: 'no engine responds, and only root can start a private engine',
        hint: 'run as root, or set DOCKER_HOST to a running engine',
      },
    ];
  if (hasDockerd())
    return [
      { check, outcome: 'ok', detail: 'no engine runs; `ccp build` starts a private engine' },
    ];
  return [
    {
      check,
      outcome: 'warning',
      detail: 'the Debian package docker.io is not installed',
      hint: 'run `ccp build --yes`, which installs it, or set DOCKER_HOST to a running engine',
    },
  ];
}
