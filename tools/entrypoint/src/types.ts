/** A condition that must be met before the gate opens. */
export type GateCondition =
  /** A Service has a ready endpoint. */
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
  /** A file exists. */
  | { readonly type: 'file'; readonly path: string };

/** Parsed command line of the gate. */
export interface GateRequest {
  readonly conditions: readonly GateCondition[];
  readonly timeoutMs: number;
  /** Command to run when all conditions are met; may be empty. */
  readonly command: readonly string[];
}

/** Name of a condition in messages: `Service openstack/mariadb`. */
export function conditionName(condition: GateCondition): string {
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
