import type { ContainerRunner, ImageEngine } from '#ports';

/** A Docker Engine: builds images and runs containers. */
export interface DockerEngine extends ImageEngine, ContainerRunner {
  /** Removes all containers that this client started and that still exist. */
  close(): Promise<void>;
  /** Removes containers of ccp processes on this machine that have exited. */
  removeLeftOvers(): Promise<void>;
}
