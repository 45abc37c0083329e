import { CcpError, codeOf, isRecord, messageOf } from '#core';
import type { InvalidCause } from '#ports';

const UNTRUSTED = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER))/;

/** What was being done, for messages. */
export interface ClusterCall {
  readonly server: string;
  /** A clause: `apply Deployment web/x`. */
  readonly doing: string;
}

/** A `Status` of the API: why it said no. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly InvalidCause[];
  readonly retryAfterSeconds?: number;
}

/** The error for a request whose answer did not come, or not whole. */
export function lostError(thrown: unknown, { server, doing }: ClusterCall, signal?: AbortSignal): CcpError {
  if (thrown instanceof CcpError) return thrown;
  if (signal?.aborted === true) return new CcpError({ code: 'cancelled', message: `${doing}: cancelled` });
  const code = codeOf(thrown) ?? '';
  if (UNTRUSTED.test(code)) {
    return new CcpError({
      code: 'cluster-untrusted',
      message: `cannot ${doing}: the certificate of ${server} is not to be trusted: ${messageOf(thrown).split(';')[0]}`,
      hint: 'give the certificate-authority that signed it in the kubeconfig; check its name and its dates',
      cause: thrown,
    });
  }
  return new CcpError({
    code: 'cluster-unreachable',
    message: `cannot ${doing}: ${server} does not answer: ${messageOf(thrown) || code}`,
    hint:
      isRecord(thrown) && thrown['proxy'] === true
        ? 'check the proxy (proxy-url in the kubeconfig, else HTTPS_PROXY), or name the server in NO_PROXY'
        : 'check the address in the kubeconfig, the network, and that the API server runs',
    cause: thrown,
  });
}

/** The error for an answer that says no. */
export function refusedError(status: ApiStatus, { server, doing }: ClusterCall): CcpError {
  const message = `cannot ${doing}: ${plain(status.message)}`;
  if (status.code === 401)
    return new CcpError({
      code: 'cluster-denied',
      message: `cannot ${doing}: ${server} does not know who asks`,
      hint: "the token or client certificate of the context has expired or is another cluster's",
    });
  if (status.causes.some(({ reason }) => reason === 'NamespaceTerminating'))
    return new CcpError({ code: 'cluster-missing', message, hint: 'wait until the namespace is gone, and run again' });
  if (status.code === 403) return new CcpError({ code: 'cluster-denied', message, hint: 'ask for this right, or use a context that has it' });
  if (status.code === 404) return new CcpError({ code: 'cluster-missing', message });
  if (status.code === 400 || status.code === 422) return new CcpError({ code: 'cluster-invalid', message });
  if (status.code === 429)
    return new CcpError({ code: 'cluster-busy', message: `cannot ${doing}: ${server} has too much to do: ${plain(status.message)}`, hint: 'try again later' });
  return new CcpError({ code: 'cluster-failed', message: `cannot ${doing}: ${server} answers ${status.code}: ${plain(status.message)}` });
}

/** The error for an answer that no API server gives. */
export function strangeAnswer(what: string, { server, doing }: ClusterCall): CcpError {
  return new CcpError({
    code: 'cluster-failed',
    message: `cannot ${doing}: ${server} does not answer as an API server does: ${what}`,
    hint: "check the server of the kubeconfig's context",
  });
}

/** `cluster-failed`, for an answer of more than `bytes`. */
export function answerTooLarge(doing: string, bytes: number): CcpError {
  return new CcpError({ code: 'cluster-failed', message: `cannot ${doing}: the answer is over ${Math.floor(bytes / 1024 / 1024)} MiB` });
}

/** A message of the server without the bits of the object that decoders quote, which may be a secret's, and without control characters. */
export function plain(message: string): string {
  const text = message
    .replace(/, error found in #\d+ byte of \.\.\.\|.*$/s, '')
    .replace(/, got &value\..*$/s, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return text.length > 2000 ? `${text.slice(0, 2000)}...` : text;
}
