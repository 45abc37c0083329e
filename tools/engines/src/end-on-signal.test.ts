import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endOnSignal, type EndOnSignal } from './end-on-signal.ts';

let did: string[];
let end: EndOnSignal;
const container = {
  kill: async ({ signal }: { readonly signal?: string } = {}) => void did.push(`kill ${signal}`),
  stop: async ({ t }: { readonly t?: number } = {}) => void did.push(`stop ${t}`),
} as unknown as Parameters<typeof endOnSignal>[0];

beforeEach(() => {
  vi.useFakeTimers();
  did = [];
  end = endOnSignal(container, () => did.push('slow'));
});
afterEach(() => {
  end.done();
  vi.useRealTimers();
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('forwards %s, and stops a container that ignores it', (signal, exitCode) => {
  process.emit(signal, signal);
  vi.advanceTimersByTime(1999);
  expect([did, end.exitCode()]).toEqual([[`kill ${signal}`], undefined]);
  vi.advanceTimersByTime(1);
  expect([did, end.exitCode()]).toEqual([[`kill ${signal}`, 'slow', 'stop 2'], exitCode]);
});

it('kills immediately on a second signal', () => {
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGHUP', 'SIGHUP');
  expect(did).toEqual(['kill SIGHUP']);
  process.emit('SIGINT', 'SIGINT');
  vi.advanceTimersByTime(5000);
  expect([did, end.exitCode()]).toEqual([['kill SIGHUP', 'kill SIGKILL'], 129]);
});

it('stops a container that starts after the signal', () => {
  process.emit('SIGINT', 'SIGINT');
  end.started();
  vi.advanceTimersByTime(5000);
  expect([did, end.exitCode()]).toEqual([['kill SIGINT', 'slow', 'stop 2'], 130]);
});

it('removes its signal handlers at the end', () => {
  const before = process.listenerCount('SIGINT');
  process.emit('SIGINT', 'SIGINT');
  end.done();
  vi.advanceTimersByTime(5000);
  expect([did, process.listenerCount('SIGINT')]).toEqual([['kill SIGINT'], before - 1]);
});

it.each([
  [
    'stops at the second Ctrl-C if only the echo is printed',
    ['^C', '^C', '^C'],
    ['slow', 'stop 2', 'kill SIGKILL'],
  ],
  ['continues if Ctrl-C prints a prompt', ['^C\r\n$ ', '^C\r\n$ '], []],
] as const)('%s', (_, answers, expected) => {
  for (const answer of answers) {
    end.keys(Buffer.from('\u0003'));
    end.output(Buffer.from(answer));
  }
  expect(did).toEqual(expected);
});
