import { redact } from '#core';
import type { MirrorSettings } from '#fetch';
import type { MachineFinding } from '../../report/doctor-text.ts';

/** The answer of a mirror to one request. */
export type MirrorProbe = { readonly url: string } & (
  { readonly status: number; readonly date: Date | undefined } | { readonly fault: string }
);

/** URLs of the mirrors in the settings, without duplicates; only HTTP and HTTPS. */
export function mirrorUrls(settings: MirrorSettings = {}): readonly string[] {
  const { debian = [], debianSecurity = [], python = [], go = [], npm = [], git = {} } = settings;
  const urls = [debian, debianSecurity, python, go, npm, Object.values(git)].flat();
  return [...new Set(urls)].filter((url) => /^https?:\/\//.test(url));
}

/** A finding for each mirror of the settings. */
export function checkMirrors(probes: readonly MirrorProbe[]): readonly MachineFinding[] {
  if (probes.length > 0) return probes.map(mirrorFinding);
  return [
    {
      check: 'mirrors',
      outcome: 'ok',
      detail: 'the settings have no mirrors; those of apt, pip, npm and Go are used',
    },
  ];
}

function mirrorFinding(probe: MirrorProbe): MachineFinding {
  const check = 'mirrors';
  const url = redact(probe.url);
  if ('fault' in probe)
    return {
      check,
      outcome: 'failed',
      detail: `${url} does not respond: ${redact(probe.fault)}`,
      hint: 'check the network and the proxy variables, or fix "mirrors" in the settings',
    };
  const { status } = probe;
  if ([401, 403, 407].includes(status))
    return {
      check,
      outcome: 'warning',
      detail: `${url} refuses the request with status ${status}`,
      hint:
        status === 407
          ? 'put the credentials into the proxy variables'
          : 'ignore this if only files below the URL can be read; else check the credentials',
    };
  if (status < 500) return { check, outcome: 'ok', detail: `${url} responds` };
  return {
    check,
    outcome: 'failed',
    detail: `${url} fails with status ${status}`,
    hint: 'try again later, or use another mirror',
  };
}
