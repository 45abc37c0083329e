import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import { parseArguments } from './parse-arguments.ts';
import { conditionName } from './types.ts';

const parse = (line: string) => parseArguments(line.split(' ').filter(Boolean), 'home');

describe('parseArguments', () => {
  it('reads what to wait for, how long, and what to run', () => {
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
    expect(parse('--service a --namespace ns')).toEqual({ conditions: [{ type: 'service', namespace: 'ns', name: 'a' }], timeoutMs: 300_000, command: [] });
    expect(parse('-- true')).toMatchObject({ conditions: [], command: ['true'] });
    expect(parse('--help')).toBeUndefined();
  });

  it.each([
    ['', 'there is nothing to wait for and nothing to run'],
    ['--servce a', "Unknown option '--servce'"],
    ['--service a/b/c', '"a/b/c" is not the name of an object'],
    ['--service A', '"A" is not the name of an object'],
    ['--file /x --timeout 5d', '"5d" is no time'],
    ['--condition Deployment/a:Available', '"Deployment/a:Available" names no condition'],
    ['--condition apps/v1/Deployment:Available', '"apps/v1/Deployment:Available" is not the name of an object'],
    ['--file /x true', "Unexpected argument 'true'"],
  ])('refuses %j', (line, message) => {
    expect(() => parse(line)).toThrow(expect.objectContaining({ code: 'usage', message }) as CcpError);
  });
});
