import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { InvalidArgumentError, Option } from 'commander';
import { omitUndefined } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER, OPERATOR_NAMESPACE } from '../../options.ts';

export interface OperatorRunFlags extends ClusterFlags {
  readonly namespace: string;
  readonly metrics?: number;
  readonly webhook?: string;
}

/**
 * `ccp operator run`: reconciles the resources of a cluster until it is interrupted, which is its
 * normal end: the exit code is 0.
 */
export const run: CommandDefinition<OperatorRunFlags> = {
  usage: 'run',
  description: 'apply and watch the sites of all OpenStackReleases and OpenStackServices',
  options: [
    OPERATOR_NAMESPACE,
    new Option('--metrics <port>', 'serve /metrics and /healthz on this port').argParser(parsePort),
    new Option('--webhook <url>', 'post each event of a resource as JSON to this URL'),
    ...OPERATOR_CLUSTER,
  ],
  examples: ['ccp operator run --metrics 9464'],
  run: async ({ output }, _, { namespace, metrics: port, webhook, ...flags }) => {
    const { connectCluster } = await import('#engines');
    const { hasEnded, processMark } = await import('#host');
    const { operatorMetrics, runOperator } = await import('#operator');
    const { systemClock } = await import('#ports');
    const { interruptSignal } = await import('../../compose/interrupt.ts');
    const { eventPrinter, webhookPoster } = await import('../../compose/operator/report-events.ts');
    const { serveMetrics } = await import('../../compose/operator/serve-metrics.ts');
    const { registrySource } = await import('../../compose/operator/site-source.ts');
    const metrics = operatorMetrics();
    const print = eventPrinter(output);
    const post = webhook === undefined ? undefined : webhookPoster(webhook, output);
    const server =
      port === undefined ? undefined : await serveMetrics(port, () => metrics.text(Date.now()));
    const { signal, done } = interruptSignal(output.warn);
    const mark = processMark();
    try {
      const { cluster, close } = await connectCluster(omitUndefined(flags));
      try {
        await runOperator({
          cluster,
          clock: systemClock,
          source: registrySource(),
          by: `ccp-operator@${hostname()}`,
          run: `process ${process.pid}, ${randomBytes(3).toString('hex')}`,
          ...(mark === undefined ? {} : { process: { mark, hasEnded } }),
          namespace,
          signal,
          report: (event) => {
            metrics.note(event);
            print(event);
            post?.(event);
          },
        });
      } finally {
        close();
      }
    } finally {
      server?.close();
      done();
    }
    output.result('the operator has ended', { ended: true });
    return 0;
  },
};

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It must be a port number from 0 to 65535.');
  return port;
}
