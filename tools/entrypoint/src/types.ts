/** Something that must hold before the gate opens. */
export type Condition =
  /** A Service has an endpoint that is ready. */
  | { readonly type: 'service'; readonly namespace: string; readonly name: string }
  /** A Job is complete. */
  | { readonly type: 'job'; readonly namespace: string; readonly name: string }
  /** An object's condition has a status. */
  | {
      readonly type: 'condition';
      readonly apiVersion: string;
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly condition: string;
      readonly status: string;
    }
  /** A file is there. */
  | { readonly type: 'file'; readonly path: string };

/** What a command line asks for. */
export interface GateRequest {
  readonly conditions: readonly Condition[];
  readonly timeoutMs: number;
  /** What is run once all conditions hold; empty where nothing is. */
  readonly command: readonly string[];
}

/** How messages name a condition: `Service openstack/mariadb`. */
export function conditionName(condition: Condition): string {
  switch (condition.type) {
    case 'service':
      return `Service ${condition.namespace}/${condition.name}`;
    case 'job':
      return `Job ${condition.namespace}/${condition.name}`;
    case 'condition':
      return `${condition.kind} ${condition.namespace}/${condition.name} to be ${condition.condition}${condition.status === 'True' ? '' : `=${condition.status}`}`;
    case 'file':
      return `file ${condition.path}`;
  }
}
