import { CcpErrors, formatPosition, type CcpError } from '#core';
import type { RenderedSite } from '../index.ts';
import { renderChecked } from './render-checked.ts';
import { appText, siteInputs } from './site-input.ts';

const API = 'provides: { api: { kind: endpoint, type: web, workload: web, port: http } }\n';
/** An app whose endpoint is for consumers alone. */
export const CLOSED = { web: appText('web', API) };
/** The same, for anyone. */
export const WEB = { web: CLOSED.web.replace('from: consumers', 'from: anyone') };
/** Apps of a site, as flow YAML: one with a host of https. */
export const HOST = '{ web: { hosts: { api: "https://web.example.org" } } }';
/** The same, and one of another app with a host of http and a port of its own. */
export const TWO =
  '{ web: { hosts: { api: "https://web.example.org" } }, two: { app: web, hosts: { api: "http://two.example.org:8080" } } }';
/** A site's way in, as YAML: a Gateway that is there. */
export const GATEWAY =
  'expose: { gateway: { name: public, namespace: gateways, listeners: { https: tls, http: plain } } }';
/** The same: a Gateway that the site makes, and its certificate. */
export const MADE =
  'expose: { gateway: { class: shiny, addresses: [192.0.2.1], annotations: { example.org/balancer: small } } }\ntls: { secret: certificate }';

/** Lays out sites whose `apps` come last, as flow YAML; further top-level keys after a newline. */
export function exposeSites(parsers: Parameters<typeof siteInputs>[0]) {
  const input = siteInputs(parsers);
  return (apps: string, specs: Readonly<Record<string, string>> = WEB): RenderedSite =>
    renderChecked(input(apps, specs));
}

/** Each finding with its place, column too, and its hint. */
export function findings(render: () => unknown): string[] {
  try {
    render();
  } catch (error) {
    const found = error instanceof CcpErrors ? error.findings : [error as CcpError];
    return found.map(
      ({ message, at, hint }) =>
        `${formatPosition(at!)} ${message}${hint === undefined ? '' : ` (${hint})`}`,
    );
  }
  throw new Error('nothing was raised');
}
