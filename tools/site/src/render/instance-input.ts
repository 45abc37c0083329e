import type { Site } from '#definitions';
import type { Instance } from '../model/instance.ts';
import type { RenderedFile } from './config-maps.ts';

/** Input of all renderers of one instance. */
export interface InstanceInput {
  readonly site: Site;
  readonly instance: Instance;
  readonly instances: ReadonlyMap<string, Instance>;
  /** Configuration files by name. */
  readonly files: ReadonlyMap<string, RenderedFile>;
  /** Configuration files of each group of nodes. */
  readonly groupFiles: ReadonlyMap<string, ReadonlyMap<string, RenderedFile>>;
}
