import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import { parseArguments } from './parse-arguments.ts';
import { conditionName } from './types.ts';

const parse = (line: string) => parseArguments(line.split(' ').filter(Boolean), 'home');

describe('parseArguments', () => {
  it('parses conditions, timeout and command', () => {
    const request = parse(
      '--service mariadb --service other/rabbitmq --job db-sync --condition v1/Pod/a:Ready --condition apps/v1/Deployment/ns/b:Progressing=False --file /x --timeout 90 -- keystone-manage --debug',
    )!;
    expect(request.conditions.map(conditionName)).toEqual([
      'file /x',
      'Service home/mariadb',
      'Service other/rabbitmq',
      'Job home/db-sync',
      'Pod home/a to be Ready',
      'Deployment ns/b to be Progressing=False',
    ]);
    expect(request).toMatchObject({ timeoutMs: 90_000, command: ['keystone-manage', '--debug'] });
    expect(parse('--service a --namespace ns')).toEqual({
      conditions: [{ type: 'service', namespace: 'ns', name: 'a' }],
      timeoutMs: 300_000,
      command: [],
    });
    expect(parse('-- true')).toMatchObject({ conditions: [], command: ['true'] });
    expect(parse('--help')).toBeUndefined();
  });

  it.each([
    ['', 'no condition and no command given'],
    ['--servce a', "Unknown option '--servce'"],
    ['--service a/b/c', '"a/b/c" is not an object name'],
    ['--service A', '"A" is not an object name'],
    ['--file /x --timeout 5d', '"5d" is not a duration'],
    ['--condition Deployment/a:Available', '"Deployment/a:Available" is not a condition'],
    [
      '--condition apps/v1/Deployment:Available',
      '"apps/v1/Deployment:Available" is not an object name',
    ],
    ['--file /x true', "Unexpected argument 'true'"],
  ])('refuses %j', (line, message) => {
    expect(() => parse(line)).toThrow(
      expect.objectContaining({ code: 'usage', message }) as CcpError,
    );
  });
});
