import { describe, expect, it } from 'vitest';
import { parseEndpoint } from './endpoint.ts';

describe('parseEndpoint', () => {
  it.each([
    ['unix:///var/run/docker.sock', { kind: 'unix', path: '/var/run/docker.sock' }],
    ['tcp://127.0.0.2:2376', { kind: 'tcp', host: '127.0.0.2', port: 2376 }],
    ['tcp://localhost', { kind: 'tcp', host: 'localhost', port: 2375 }],
    ['tcp://localhost:80', { kind: 'tcp', host: 'localhost', port: 80 }],
    ['tcp://[::1]:2375', { kind: 'tcp', host: '::1', port: 2375 }],
  ])('reads %s', (name, endpoint) => {
    expect(parseEndpoint(name)).toEqual({ name, ...endpoint });
  });

  it.each([
    'tcp://10.0.0.5:2375',
    'tcp://builder',
    'tcp://127.example.org',
    'tcp://0.0.0.0:2375',
    'tcp://[fd00::1]:2375',
  ])('refuses %s, which is not this machine', (name) => {
    expect(() => parseEndpoint(name)).toThrow(
      expect.objectContaining({
        code: 'endpoint-invalid',
        message: `the engine ${name} is on another machine and cannot reach this machine's registry on 127.0.0.1`,
        hint: 'use an engine on this machine, or run ccp on the other machine',
      }),
    );
  });

  it.each([
    '',
    'docker.sock',
    'unix://relative',
    'ssh://host',
    'tcp://',
    'tcp://me:pw@host',
    'tcp://host/path',
    'tcp://host:99999',
  ])('refuses %j', (name) => {
    expect(() => parseEndpoint(name)).toThrow('is not a valid engine endpoint');
  });
});
