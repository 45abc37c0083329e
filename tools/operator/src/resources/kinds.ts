import type { KindRef } from '#ports';

export const GROUP = 'ccp.openstack.org';
/** The only version: the API server refuses resources of another one. */
export const VERSION = 'v1alpha1';

/** A whole site. */
export const RELEASE: KindRef = { apiVersion: `${GROUP}/${VERSION}`, kind: 'OpenStackRelease' };
/** A site of one app, for clouds whose other services are not deployed by ccp. */
export const SERVICE: KindRef = { apiVersion: `${GROUP}/${VERSION}`, kind: 'OpenStackService' };

/** Both kinds. */
export const MANAGED_KINDS: readonly KindRef[] = [RELEASE, SERVICE];

/** Finalizer of a resource: its site is deleted before it disappears. */
export const FINALIZER = `${GROUP}/site`;
/** Annotation with the resource's name, without which a deleted resource keeps its site. */
export const CONFIRM_DELETION = `${GROUP}/confirm-deletion`;
/** Annotation with the number of a revision that was rolled back and is applied again. */
export const RETRY = `${GROUP}/retry`;
/** Annotation with the number of the revision whose contract is confirmed. */
export const CONFIRM_CONTRACT = `${GROUP}/confirm-contract`;

/** Field manager of the resources' finalizers and status. */
export const OPERATOR_MANAGER = 'ccp-operator';
