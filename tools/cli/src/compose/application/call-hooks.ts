import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { CcpError, fileFault, messageOf } from '#core';
import { readGiven } from '#host';
import type { SiteIdentity } from '#site';

const WEBHOOK_MS = 10_000;
const COMMAND_MS = 120_000;
const MAX_KEY = 64 << 10;
const MIN_KEY = 16;

/** Flags about clients of the platform that get to know a new identity service. */
export interface HookFlags {
  readonly hook?: string;
  readonly webhook?: string;
  readonly webhookKey?: string;
}

/** The application of which a hook gets to know. */
export interface HookedApplication {
  readonly application: string;
  readonly version: string;
  readonly site: string;
  readonly namespace: string;
  readonly identity: SiteIdentity;
}

/** A call of the hooks, or of none. Throws `application-hook`. */
export type CallHooks = (application: HookedApplication) => Promise<void>;

/**
 * The hooks of the flags: a command that reads JSON from its standard input, and a URL that the
 * same JSON is posted to, with the header `x-ccp-signature: sha256=HMAC` over its bytes. Throws
 * `usage` for a webhook without a key, and `key-invalid`.
 */
export function hooksOf({ hook, webhook, webhookKey }: HookFlags): CallHooks {
  if ((webhook === undefined) !== (webhookKey === undefined))
    throw new CcpError({
      code: 'usage',
      message: '--webhook and --webhook-key are used together',
      hint: 'write a random key to a file, and give the receiver the same key',
    });
  const key = webhookKey === undefined ? undefined : readKey(webhookKey);
  return async (application) => {
    const body = JSON.stringify({ format: 1, sentAt: new Date().toISOString(), ...application });
    if (hook !== undefined) await runCommand(hook, body);
    if (webhook !== undefined && key !== undefined) await post(webhook, body, key);
  };
}

async function runCommand(command: string, body: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command], {
    // The standard output is for the result.
    stdio: ['pipe', 2, 2],
    timeout: COMMAND_MS,
  });
  // A command that does not read its input closes it early.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(body);
  const reason = await new Promise<string | undefined>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  if (reason !== undefined)
    throw failed(`the hook command failed: ${reason}`, 'run the command by hand');
}

async function post(url: string, body: string, key: Buffer): Promise<void> {
  const signature = createHmac('sha256', key).update(body).digest('hex');
  let status: number;
  try {
    ({ status } = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-ccp-signature': `sha256=${signature}` },
      body,
      signal: AbortSignal.timeout(WEBHOOK_MS),
    }));
  } catch (thrown) {
    throw failed(`the webhook failed: ${messageOf(thrown)}`, 'check the URL and its receiver');
  }
  if (status < 200 || status > 299)
    throw failed(`the webhook answered ${status}`, 'look into the log of its receiver');
}

function failed(message: string, hint: string): CcpError {
  return new CcpError({
    code: 'application-hook',
    message,
    hint: `${hint}, then apply the application again`,
  });
}

/** The bytes of a key, without a line break at the end. */
function readKey(file: string): Buffer {
  let text: string;
  try {
    text = readGiven(file, MAX_KEY)
      .toString('latin1')
      .replace(/\r?\n$/, '');
  } catch (thrown) {
    throw fileFault(thrown, 'read', file);
  }
  if (text.length >= MIN_KEY) return Buffer.from(text, 'latin1');
  throw new CcpError({
    code: 'key-invalid',
    message: `${file} has fewer than ${MIN_KEY} bytes`,
    hint: 'write a random key: openssl rand -hex 32',
  });
}
