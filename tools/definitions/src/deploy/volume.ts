/** Exactly one member is set. */
export interface Volume {
  /** A claim for each pod of a StatefulSet; the site maps `storage` to a storage class. */
  readonly claim?: { readonly size: string; readonly storage?: string };
  readonly ephemeral?: { readonly size: string; readonly memory?: boolean };
  /** Name of a Secret in `secrets`; each key becomes a file. */
  readonly secret?: string;
  readonly host?: HostVolume;
  /** Name of a claim in `claims`; only for actions. */
  readonly shared?: string;
}

/** A path of the node, with the reason why the app needs it. */
export interface HostVolume {
  readonly path: string;
  readonly readOnly: boolean;
  readonly reason: string;
  /** Type that must exist at the path; a missing `folder` is created. Not checked if absent. */
  readonly type?: 'folder' | 'existing-folder' | 'file' | 'socket' | 'device';
  /** Direction in which later mounts become visible; `both` only for privileged containers. */
  readonly propagation?: 'from-node' | 'both';
}
