import { describe, expect, it } from 'vitest';
import { parseEndpoint } from './endpoint.ts';

describe('parseEndpoint', () => {
  it.each([
    ['unix:///var/run/docker.sock', { kind: 'unix', path: '/var/run/docker.sock' }],
    ['tcp://10.0.0.5:2376', { kind: 'tcp', host: '10.0.0.5', port: 2376 }],
    ['tcp://builder', { kind: 'tcp', host: 'builder', port: 2375 }],
    ['tcp://builder:80', { kind: 'tcp', host: 'builder', port: 80 }],
    ['tcp://[::1]:2375', { kind: 'tcp', host: '::1', port: 2375 }],
  ])('reads %s', (name, endpoint) => {
    expect(parseEndpoint(name)).toEqual({ name, ...endpoint });
  });

  it.each(['', 'docker.sock', 'unix://relative', 'ssh://host', 'tcp://', 'tcp://me:pw@host', 'tcp://host/path', 'tcp://host:99999'])('refuses %j', (name) => {
    expect(() => parseEndpoint(name)).toThrow('is not the endpoint of an engine');
  });
});
