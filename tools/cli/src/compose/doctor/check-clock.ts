import { redact } from '#core';
import { durationText } from '../../report/text.ts';
import type { MirrorProbe } from './check-mirrors.ts';
import type { MachineFinding } from '../../report/doctor-text.ts';

/** apt and certificates tolerate smaller differences. */
const TOLERATED_MS = 5 * 60_000;

/** The times that the check of the clock compares. */
export interface ClockInput {
  readonly now: Date;
  /** When the newest file of the tool was written. */
  readonly installed: Date;
  readonly probes: readonly MirrorProbe[];
}

/** Compares the clock with the tool's files and with the mirror that is closest to it. */
export function checkClock({ now, installed, probes }: ClockInput): MachineFinding {
  const check = 'clock';
  const hint = 'set the clock, or start a time service such as systemd-timesyncd';
  const shown = `${now.toISOString().slice(0, 19)}Z`;
  if (installed.getTime() - now.getTime() > TOLERATED_MS)
    return {
      check,
      outcome: 'failed',
      detail: `${shown} is before the time when the files of ccp were written`,
      hint,
    };
  const [closest] = probes
    .flatMap((probe) =>
      'date' in probe && probe.date !== undefined
        ? [{ url: probe.url, aheadMs: now.getTime() - probe.date.getTime() }]
        : [],
    )
    .sort((a, b) => Math.abs(a.aheadMs) - Math.abs(b.aheadMs));
  if (closest === undefined)
    return { check, outcome: 'ok', detail: `${shown}; no mirror to compare it with` };
  const url = redact(closest.url);
  const difference = Math.abs(closest.aheadMs);
  if (difference <= TOLERATED_MS) return { check, outcome: 'ok', detail: `${shown}, as on ${url}` };
  return {
    check,
    outcome: 'failed',
    detail: `${shown} is ${durationText(difference / 1000)} ${closest.aheadMs > 0 ? 'ahead of' : 'behind'} ${url}`,
    hint,
  };
}
