import { fileURLToPath } from 'node:url';
import { CcpErrors, formatPosition, type CcpError } from '#core';
import { parseAppSpec } from '../deploy/index.ts';

export const REPOSITORY_ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

export function thrownFindings(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    const found = error instanceof CcpErrors ? error.findings : [error as CcpError];
    return found.map(
      ({ at, message, hint }) =>
        `${at === undefined ? '' : formatPosition(at)} ${message}${hint === undefined ? '' : ` (${hint})`}`,
    );
  }
  throw new Error('nothing was raised');
}

export const parseSpec =
  (text: string): (() => unknown) =>
  () =>
    parseAppSpec(text, 'app.yaml', 'web');

export const WEB_SPEC = `schema: 1.0.0
title: Web
user: { uid: 1, gid: 1 }
workloads:
  web:
    kind: Deployment
    role: control-plane
    replicas: { default: 1, rule: any }
    spread: preferred
    grace: 30
    containers:
      main: { command: [serve], ports: { http: { port: 80, from: anyone } }, resources: {} }
`;
