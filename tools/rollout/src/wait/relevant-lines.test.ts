import { expect, it } from 'vitest';
import { causeLine, relevantLines } from './relevant-lines.ts';

const rabbit = (text: string): string =>
  `2026-11-21 22:00:00.000000+00:00 [error] <0.231.0> ${text}`;
const CAUSE = rabbit(
  'Feature flags: `stream_filtering`: required feature flag not enabled! It must be enabled before upgrading RabbitMQ.',
);
const BOOT = [
  ...[
    'BOOT FAILED',
    '===========',
    'Error during startup: {error,failed_to_initialize_feature_flags_registry}',
    '',
  ].map(rabbit),
  ...[
    '  crasher:',
    '    initial call: application_master:init/3',
    '    pid: <0.230.0>',
    '    registered_name: []',
  ].map(rabbit),
  rabbit('    exception exit: {failed_to_initialize_feature_flags_registry,'),
  rabbit('                     {rabbit,start,[normal,[]]}}'),
  rabbit('      in function  application_master:init/3 (application_master.erl, line 143)'),
  ...[
    'ancestors: [<0.229.0>]',
    'message_queue_len: 1',
    'messages: [{EXIT,<0.231.0>,normal}]',
    'links: [<0.229.0>,<0.44.0>]',
    'dictionary: []',
  ].map((line) => rabbit(`    ${line}`)),
  ...[
    'trap_exit: true',
    'status: running',
    'heap_size: 233',
    'stack_size: 28',
    'reductions: 74',
    'neighbours:',
  ].map((line) => rabbit(`    ${line}`)),
];

it('shows the lines before the dump of an Erlang crash', () => {
  const info = Array.from(
    { length: 30 },
    (_, index) => `2026-11-21 22:00:00.000000+00:00 [info] <0.9.0> plugin ${index} is there`,
  );
  const shown = relevantLines([...info, CAUSE, ...BOOT]);
  expect(shown.slice(0, 2)).toEqual(['... 30 more', CAUSE]);
  expect(shown).toContain(
    rabbit('Error during startup: {error,failed_to_initialize_feature_flags_registry}'),
  );
  expect(shown.slice(-5)).toEqual(BOOT.slice(-5));
  expect(shown.length).toBeLessThanOrEqual(12);
});

it('shows the configuration error that RabbitMQ reports', () => {
  const wrong = [
    'Error preparing configuration in phase transform_datatypes:',
    '  - Error transforming datatype for: cluster_partition_handling',
    '  - "nonsense" is not a valid enum value, acceptable values are: ignore, pause_minority, autoheal, pause_if_all_down',
  ].map(rabbit);
  const end = [
    'Kernel pid terminated (application_controller) ("{application_start_failure,rabbitmq_prelaunch}")',
    '',
    'Crash dump is being written',
  ];
  const shown = relevantLines([...wrong, rabbit(''), ...BOOT, ...end]);
  expect(shown.slice(0, 3)).toEqual(wrong);
  expect(shown.slice(-2)).toEqual([end[0], end[2]]);
  expect(shown.length).toBeLessThanOrEqual(12);
});

it('shows the newest retry and the first error, without stack frames', () => {
  const tries = Array.from(
    { length: 20 },
    (_, index) =>
      `2026-11-21 22:00:${10 + index} 1 WARNING db [-] connection refused, ${20 - index} tries left`,
  );
  const stack = Array.from({ length: 8 }, (_, index) => [
    `2026-11-21 22:01:00 1 ERROR db   File "/app/error_${index}.py", line ${index}, in failed`,
    '    raise',
  ]);
  const lines = [
    'FATAL: no such option: pool_siez',
    ...tries,
    ...stack.flat(),
    'OperationalError: cannot connect',
  ];
  expect(relevantLines(lines)).toEqual([
    lines[0],
    '... 19 more',
    tries[19],
    '... 9 more',
    ...lines.slice(-8),
  ]);
});

it('shows the end of output without a reason', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  expect(relevantLines(lines)).toEqual(['... 29 more', ...lines.slice(-11)]);
  expect(relevantLines(lines.slice(0, 12))).toEqual(lines.slice(0, 12));
});

const at = (level: string, text: string): string =>
  `2026-11-21 22:00:00.000 7 ${level} keystone.server [-] ${text}`;
const SHUTDOWN = Array.from({ length: 40 }, (_, index) =>
  at(
    'INFO',
    `worker ${index} of ${index * 7}: unknown signal, route ${'x'.repeat(index)} not found`,
  ),
);

it.each([
  [
    'a value of a wrong type',
    'oslo_config.cfg.ConfigFileValueError: Value for option debug from LocationInfo is not valid: Unexpected boolean value',
  ],
  ['an exception in a log', at('CRITICAL', "Unhandled error: KeyError: 'backend'")],
  [
    'an exception with the name of its logger',
    at('ERROR', 'stevedore.exception.NoMatches: No driver'),
  ],
  [
    'a wrong option of MariaDB',
    '2026-11-21 22:00:00 0 [ERROR] mariadbd: unknown variable "size=1"',
  ],
  ['a wrong option of a program in C', "memcached: unrecognized option '--speed'"],
  ['a wrong file', 'nginx: [emerg] unexpected "}" in /etc/nginx.conf:7'],
  ['a plain exception', 'ImportError: No module named keystone.wsgi.api'],
])('shows the line that names the error before calm lines with similar words: %s', (_, cause) => {
  const frames = Array.from({ length: 9 }, (__, index) => `  File "/a/${index}.py", line ${index}`);
  const start = [at('INFO', 'starting'), at('INFO', 'no such file: optional.conf')];
  expect(relevantLines([...start, ...frames, cause, ...SHUTDOWN])).toContain(cause);
  expect(relevantLines([...SHUTDOWN, ...frames, cause, ...SHUTDOWN])).toContain(cause);
});

it('finds the line that names the error among lines that end a program calmly', () => {
  const lines = [
    'WARNING: keystone.conf: deprecated option',
    'stevedore.exception.NoMatches: No driver found for nonsense',
    'unable to load app 0 (mountpoint=)',
    'VACUUM: unix socket /run/uwsgi removed.',
    'goodbye to uWSGI.',
  ];
  expect(causeLine(lines)).toBe(lines[1]);
  expect(causeLine(lines.slice(2))).toBe(lines[2]);
  expect(causeLine(lines.slice(3))).toBe(lines[4]);
  expect(causeLine([])).toBeUndefined();
});

it('reads a long line of words in linear time', () => {
  const long = '1a '.repeat(100_000);
  expect(relevantLines(Array.from({ length: 20 }, () => long)).length).toBeLessThanOrEqual(12);
});
