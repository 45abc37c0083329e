import type { ContainerRunner, ImageEngine } from '#ports';

/** A Docker Engine: builds images and runs containers. */
export interface DockerEngine extends ImageEngine, ContainerRunner {
  /** Removes the containers and networks this process has left on the engine, and lets its connections go. */
  close(): Promise<void>;
}
