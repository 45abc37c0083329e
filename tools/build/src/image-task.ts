import type { PlannedImage } from '#plan';
import type { ContainerRunner, ImageEngine } from '#ports';
import type { Outcome, ParentDigests } from './types.ts';

/** An image that can be built: its parents are in the store. */
export interface ImageTask {
  readonly planned: PlannedImage;
  readonly parents: ParentDigests;
  readonly contentKey: string;
  readonly engine: ImageEngine;
  readonly runner: ContainerRunner;
  /** The outcome if the image is already stored; it is only tested then. */
  readonly known?: Extract<Outcome, { readonly type: 'reused' | 'aliased' }>;
  /** Called with each reference that the engine pulls for tests; the caller untags them later. */
  readonly onPulled: (reference: string) => void;
  /** Called when the engine has built and tested the image; only naming it in the store remains. */
  readonly onEngineDone: () => void;
}
