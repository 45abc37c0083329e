import type { Pod } from './pod.ts';

/** Seconds in which a started container must get ready. */
export const READY_SECONDS = 600;

/**
 * Why one pod is not ready. `timeoutSeconds` is how long the state can last before the pod has
 * failed.
 */
export interface PodFailure {
  readonly pod: Pod;
  readonly container?: string;
  readonly exitCode?: number;
  /** Whether the output of the previous run is the relevant one. */
  readonly previousRun?: boolean;
  /**
   * Restarts of a container that has used up its crash budget and is running now. One more restart
   * is a loop; the container may also have been fixed.
   */
  readonly restarts?: number;
  /** Where the cause may be found: kubelet's events of a probe, or the pod's claims. */
  readonly hides?: 'probe' | 'claims';
  /** Whether the container's last run has ended, even if it runs again. */
  readonly ended?: true;
  /** Whether that run was short. */
  readonly short?: true;
  /** Whether the timeout starts when the container has started, restarts included. */
  readonly sinceStart?: true;
  /** Whether the timeout starts with the container's first crash after a short run. */
  readonly sinceCrash?: true;
  /** A clause: `container "api" exited with code 1 and was restarted 4 times`. */
  readonly reason: string;
  readonly timeoutSeconds: number;
  /**
   * True if a container crashes or cannot start, or no node can run the pod; false if it may only
   * need time.
   */
  readonly broken: boolean;
}
