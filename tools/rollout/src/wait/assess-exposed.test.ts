import { describe, expect, it } from 'vitest';
import { live, of } from '../testing/sample-pods.ts';
import { assess } from './assess.ts';

describe('assess for Ingress, routes and certificates', () => {
  it.each([
    of(
      'nobody who looked',
      'HTTPRoute',
      undefined,
      'progressing: the controller of the Gateway "public" has not seen it yet',
    ),
    of(
      'the form before',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'https' },
            conditions: [{ type: 'Accepted', status: 'True', observedGeneration: 1 }],
          },
        ],
      },
      'progressing: the controller of the Gateway "public" has not seen it yet',
    ),
    of(
      'another listener',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'http' },
            conditions: [{ type: 'Accepted', status: 'True', observedGeneration: 2 }],
          },
        ],
      },
      'progressing: the controller of the Gateway "public" has not seen it yet',
    ),
    of(
      'a listener that refuses',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'https' },
            conditions: [
              {
                type: 'Accepted',
                status: 'False',
                reason: 'NotAllowedByListeners',
                message: 'not of this namespace',
                observedGeneration: 2,
              },
            ],
          },
        ],
      },
      'progressing: the Gateway "public" does not accept it: NotAllowedByListeners: not of this namespace',
    ),
    of(
      'a Service that is not there',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'https' },
            conditions: [
              { type: 'Accepted', status: 'True', observedGeneration: 2 },
              {
                type: 'ResolvedRefs',
                status: 'False',
                reason: 'BackendNotFound',
                observedGeneration: 2,
              },
            ],
          },
        ],
      },
      'progressing: the Gateway "public" cannot resolve its backend: BackendNotFound',
    ),
    of(
      'a controller that names no generation',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'https' },
            conditions: [{ type: 'Accepted', status: 'True' }],
          },
        ],
      },
      'done',
    ),
    of(
      'a route that is taken',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'https' },
            conditions: [
              { type: 'Accepted', status: 'True', observedGeneration: 2 },
              { type: 'ResolvedRefs', status: 'True', observedGeneration: 2 },
            ],
          },
        ],
      },
      'done',
    ),
    of(
      'a class that nobody has',
      'Gateway',
      {
        conditions: [
          {
            type: 'Accepted',
            status: 'Unknown',
            reason: 'Pending',
            message: 'Waiting for controller',
            observedGeneration: 2,
          },
        ],
      },
      'progressing: is not accepted: Pending: Waiting for controller',
    ),
    of(
      'a certificate that is not there',
      'Gateway',
      {
        conditions: [{ type: 'Accepted', status: 'True', observedGeneration: 2 }],
        listeners: [
          {
            name: 'keystone-api',
            conditions: [
              {
                type: 'ResolvedRefs',
                status: 'False',
                reason: 'InvalidCertificateRef',
                message: 'Secret cloud-tls',
              },
            ],
          },
        ],
      },
      'progressing: its listener "keystone-api" does not accept requests: InvalidCertificateRef: Secret cloud-tls',
    ),
    of(
      'a load balancer that is being made',
      'Gateway',
      {
        conditions: [
          { type: 'Accepted', status: 'True', observedGeneration: 2 },
          {
            type: 'Programmed',
            status: 'False',
            reason: 'AddressNotAssigned',
            observedGeneration: 2,
          },
        ],
      },
      'progressing: is not programmed: AddressNotAssigned',
    ),
    of(
      'a Gateway that listens',
      'Gateway',
      {
        conditions: [
          { type: 'Accepted', status: 'True', observedGeneration: 2 },
          { type: 'Programmed', status: 'True', observedGeneration: 2 },
        ],
      },
      'done',
    ),
    of(
      'an authority that has not answered',
      'Certificate',
      {
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'DoesNotExist',
            message: 'Issuing certificate',
            observedGeneration: 2,
          },
        ],
      },
      'progressing: is not ready: DoesNotExist: Issuing certificate',
    ),
    of(
      'a certificate for the hosts before',
      'Certificate',
      { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] },
      'progressing: its controller has not seen it yet',
    ),
    of(
      'a certificate in its Secret',
      'Certificate',
      { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 2 }] },
      'done',
    ),
  ])('%s: %s', (_, kind, status, expected) => {
    const state = assess(
      live(kind, { parentRefs: [{ name: 'public', sectionName: 'https' }] }, status),
    );
    expect(state.state === 'done' ? 'done' : `${state.state}: ${state.reason}`).toBe(expected);
  });
});
