import type { ContainerRunner, ImageEngine } from '#ports';

/** A Docker Engine: builds images and runs containers. */
export interface DockerEngine extends ImageEngine, ContainerRunner {
  /** Removes the containers it started and nobody removed. */
  close(): Promise<void>;
}
