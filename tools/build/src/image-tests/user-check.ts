import type { Json } from '#core';
import type { Finding, ImageExpectations } from './types.ts';

/** Checks that the image runs as its definition's user, by number, and that /etc/passwd has it. */
export function userFindings(
  config: Json,
  users: readonly string[],
  expected: ImageExpectations['user'],
): readonly Finding[] {
  const runsAs = configuredUser(config);
  if (expected === undefined) {
    return ['', '0', '0:0', 'root'].includes(runsAs)
      ? []
      : [found(`the image runs as ${runsAs}, but its definition has no user`)];
  }
  const { name, uid, gid, home } = expected;
  const findings: Finding[] = [];
  if (runsAs !== `${uid}` && runsAs !== `${uid}:${gid}`) {
    findings.push(
      found(
        `the image runs as ${runsAs === '' ? 'root' : runsAs} instead of ${uid}:${gid} (${name})`,
      ),
    );
  }
  const line = users.find((user) => user.startsWith(`${name}:`));
  const [, , hasUid, hasGid, , hasHome] = line?.split(':') ?? [];
  if (line === undefined) findings.push(found(`/etc/passwd has no user ${name}`));
  else if (hasUid !== `${uid}` || hasGid !== `${gid}` || hasHome !== home) {
    findings.push(
      found(
        `/etc/passwd has ${name} as ${hasUid}:${hasGid} with home ${hasHome} instead of ${uid}:${gid} with home ${home}`,
      ),
    );
  }
  return findings;
}

/** `config.User` of an OCI image config; empty if absent. */
function configuredUser(config: Json): string {
  const inner = member(config, 'config');
  const user = member(inner, 'User');
  return typeof user === 'string' ? user : '';
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: Json | undefined })[name];
}

function found(message: string): Finding {
  return { check: 'user', message };
}
