import { CcpError } from '#core';
import type {
  Cluster,
  KubernetesObject,
  LiveObject,
  ObjectEvent,
  ObjectRef,
} from '../../cluster.ts';
import type { MutableJson } from './field-path.ts';
import { ObjectStore } from './object-store.ts';

/**
 * An in-memory cluster, with methods to change it from a test. It has the namespaces `default` and
 * `kube-system`, and no controllers.
 */
export interface FakeCluster extends Cluster {
  readonly store: ObjectStore;
  /**
   * All writes through the port: `apply apps/v1 Deployment web/x`. Applies without changes are
   * omitted.
   */
  readonly writes: string[];
  /** Changes an object as another manager, which then owns the changed fields. */
  edit(ref: ObjectRef, change: (object: MutableJson) => void, manager?: string): LiveObject;
  /** Replaces an object's status without changing its generation. */
  setStatus(ref: ObjectRef, status: MutableJson): LiveObject;
  /** Sets the output of a container, or with `previous` that of its previous instance. */
  setLogs(
    pod: { readonly namespace: string; readonly name: string },
    text: string,
    which?: { readonly container?: string; readonly previous?: boolean },
  ): void;
  addEvent(
    ref: ObjectRef,
    event: Partial<ObjectEvent> & Pick<ObjectEvent, 'reason' | 'message'>,
  ): void;
  /** Makes the next call of `verb` throw `error`; with `after`, only after its work is done. */
  failNext(verb: keyof Cluster, error: CcpError, when?: 'before' | 'after'): void;
}

export interface FakeClusterOptions {
  readonly name?: string;
  readonly now?: () => Date;
  readonly objects?: readonly KubernetesObject[];
  /** A cluster from which to copy all objects with their owners and versions. */
  readonly like?: FakeCluster;
}
