import { describe, expect, it } from 'vitest';
import { errorText, CcpError } from '#core';
import { colourCheck, colourLines, colourOutcome, colourSign } from './colour.ts';
import { processOutput, type OutputFlags } from './output.ts';

const green = (text: string): string => `\u001b[32m${text}\u001b[39m`;
const yellow = (text: string): string => `\u001b[33m${text}\u001b[39m`;
const red = (text: string): string => `\u001b[31m${text}\u001b[39m`;

describe('colours of results', () => {
  it('colours the sign of each line of a status or plan', () => {
    const text = [
      'example in cloud on kind: revision 4, failed at 10:00',
      '  ✓ 3 steps done',
      '  … nova/api  1/3 pods  waits for a pod',
      '  x nova/db  the Job failed',
      '  ? Service/nova is missing',
      '  ~ 2 fields of Deployment/nova-api differ from revision 4',
      '  ! Secret/nova is missing and is created again',
      '      spec.replicas: 1 -> 3',
    ].join('\n');
    expect(colourLines(text, colourSign)).toBe(
      [
        'example in cloud on kind: revision 4, failed at 10:00',
        `  ${green('✓')} 3 steps done`,
        '  … nova/api  1/3 pods  waits for a pod',
        `  ${red('x')} nova/db  the Job failed`,
        `  ${red('?')} Service/nova is missing`,
        `  ${yellow('~')} 2 fields of Deployment/nova-api differ from revision 4`,
        `  ${yellow('!')} Secret/nova is missing and is created again`,
        '      spec.replicas: 1 -> 3',
      ].join('\n'),
    );
  });

  it('colours the outcome in each row of the build table', () => {
    const text = [
      'IMAGE   VERSION  OUTCOME          DIGEST',
      'base    2026.1   built            sha256:45a67ba6525e',
      'cache   2026.1   reused           sha256:45a67ba6525e',
      'nova    2026.1   failed           -',
      'neutron 2026.1   blocked by nova  -',
      '',
      '4 images in 1 min 17 s: 1 built, 1 reused, 1 failed, 1 blocked',
    ].join('\n');
    expect(colourLines(text, colourOutcome)).toBe(
      [
        'IMAGE   VERSION  OUTCOME          DIGEST',
        `base    2026.1   ${green('built')}            sha256:45a67ba6525e`,
        'cache   2026.1   reused           sha256:45a67ba6525e',
        `nova    2026.1   ${red('failed')}           -`,
        `neutron 2026.1   ${yellow('blocked')} by nova  -`,
        '',
        '4 images in 1 min 17 s: 1 built, 1 reused, 1 failed, 1 blocked',
      ].join('\n'),
    );
  });

  it('colours the outcome of each check', () => {
    const text =
      'ok       clock  set\nwarning  disk   5 GB free\nfailed   ports  in use\n\n3 checks';
    expect(colourLines(text, colourCheck)).toBe(
      `${green('ok')}       clock  set\n${yellow('warning')}  disk   5 GB free\n${red('failed')}   ports  in use\n\n3 checks`,
    );
  });
});

/** The texts that reach stdout and stderr. */
function printed(
  isTTY: boolean,
  env: NodeJS.ProcessEnv,
  flags: OutputFlags = {},
): { readonly stdout: string; readonly stderr: string } {
  const texts = { stdout: '', stderr: '' };
  const output = processOutput(flags, env, {
    stdout: { isTTY, write: (text) => void (texts.stdout += text) },
    stderr: { isTTY, write: (text) => void (texts.stderr += text) },
  });
  output.result('  x nova/db  \u001b[31mfailed', { state: 'failed' }, colourSign);
  output.info('[nova] failed after 3.0 s: exit code 1');
  output.warn('warning: the steps of nova have a network');
  output.warn(
    errorText(new CcpError({ code: 'usage', message: 'no such image', hint: 'see ccp graph' })),
  );
  return texts;
}

describe('processOutput', () => {
  const stderr = [
    '[nova] failed after 3.0 s: exit code 1',
    'warning: the steps of nova have a network',
    'ccp: no such image',
    '  -> see ccp graph',
    '',
  ].join('\n');
  const escaped = '  x nova/db  \\u001b[31mfailed\n';

  it('colours results and messages on a terminal, and escapes colours of other programs', () => {
    expect(printed(true, { TERM: 'xterm' })).toEqual({
      stdout: `  ${red('x')} nova/db  \\u001b[31mfailed\n`,
      stderr: [
        `[nova] ${red('failed')} after 3.0 s: exit code 1`,
        `${yellow('warning:')} the steps of nova have a network`,
        `${red('ccp:')} no such image`,
        '  -> see ccp graph',
        '',
      ].join('\n'),
    });
  });

  it.each([
    ['with NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }],
    ['on a dumb terminal', { TERM: 'dumb' }],
    ['in CI', { TERM: 'xterm', CI: 'true' }],
  ])('writes no colour %s', (_, env) => {
    expect(printed(true, env)).toEqual({ stdout: escaped, stderr });
  });

  it('writes no colour off a terminal, also with FORCE_COLOR', () => {
    const stdout = '  x nova/db  \u001b[31mfailed\n';
    expect(printed(false, { TERM: 'xterm', FORCE_COLOR: '1' })).toEqual({ stdout, stderr });
  });

  it('writes JSON without colour on a terminal', () => {
    expect(printed(true, { TERM: 'xterm' }, { json: true }).stdout).toBe(
      '{\n  "state": "failed"\n}\n',
    );
  });
});
