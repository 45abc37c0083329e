import { CcpError, codeOf, isRecord, messageOf } from '#core';
import type { InvalidCause } from '#ports';

const UNTRUSTED = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER))/;

/** The operation that an error message names. */
export interface ClusterCall {
  readonly server: string;
  /** Text after "cannot": `apply Deployment web/x`. */
  readonly doing: string;
}

/** The `Status` object of a rejected request. */
export interface ApiStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly InvalidCause[];
  readonly retryAfterSeconds?: number;
}

/** The error for a request without a complete response. */
export function requestError(
  thrown: unknown,
  { server, doing }: ClusterCall,
  signal?: AbortSignal,
): CcpError {
  if (thrown instanceof CcpError) return thrown;
  if (signal?.aborted === true)
    return new CcpError({ code: 'cancelled', message: `${doing}: cancelled` });
  const code = codeOf(thrown) ?? '';
  if (UNTRUSTED.test(code)) {
    return new CcpError({
      code: 'cluster-untrusted',
      message: `cannot ${doing}: the certificate of ${server} is not trusted: ${messageOf(thrown).split(';')[0]}`,
      hint: 'set its certificate-authority in the kubeconfig; check the name and dates of the certificate',
      cause: thrown,
    });
  }
  return new CcpError({
    code: 'cluster-unreachable',
    message: `cannot ${doing}: ${server} does not respond: ${messageOf(thrown) || code}`,
    hint:
      isRecord(thrown) && thrown['proxy'] === true
        ? 'check the proxy (proxy-url in the kubeconfig, else HTTPS_PROXY), or add the server to NO_PROXY'
        : 'check the address in the kubeconfig, the network, and whether the API server runs',
    cause: thrown,
  });
}

/** The error for a rejected request. */
export function statusError(status: ApiStatus, { server, doing }: ClusterCall): CcpError {
  const message = `cannot ${doing}: ${cleanMessage(status.message)}`;
  if (status.code === 401)
    return new CcpError({
      code: 'cluster-denied',
      message: `cannot ${doing}: ${server} rejected the credentials of the kubeconfig`,
      hint: 'renew the token or client certificate of the context; it may also belong to another cluster',
    });
  if (status.causes.some(({ reason }) => reason === 'NamespaceTerminating'))
    return new CcpError({
      code: 'cluster-missing',
      message,
      hint: 'wait until the namespace is deleted, and run the command again',
    });
  if (status.code === 403)
    return new CcpError({
      code: 'cluster-denied',
      message,
      hint: 'ask an administrator for this permission, or use a context that has it',
    });
  if (status.code === 404) return new CcpError({ code: 'cluster-missing', message });
  if (status.code === 400 || status.code === 422)
    return new CcpError({ code: 'cluster-invalid', message });
  if (status.code === 429)
    return new CcpError({
      code: 'cluster-busy',
      message: `cannot ${doing}: ${server} is overloaded: ${cleanMessage(status.message)}`,
      hint: 'try again later',
    });
  return new CcpError({
    code: 'cluster-failed',
    message: `cannot ${doing}: ${server} returned status ${status.code}: ${cleanMessage(status.message)}`,
  });
}

/** The error for a response that is not in the API's format. */
export function unexpectedResponse(reason: string, { server, doing }: ClusterCall): CcpError {
  return new CcpError({
    code: 'cluster-failed',
    message: `cannot ${doing}: unexpected response from ${server}: ${reason}`,
    hint: 'check that the server address in the kubeconfig is that of a Kubernetes API server',
  });
}

/** The error `cluster-failed` for a response of more than `bytes`. */
export function responseTooLarge(doing: string, bytes: number): CcpError {
  return new CcpError({
    code: 'cluster-failed',
    message: `cannot ${doing}: the response is larger than ${Math.floor(bytes / 1024 / 1024)} MiB`,
  });
}

/**
 * A server's message without control characters and without the parts of the object that decoders
 * quote: they may contain secrets.
 */
export function cleanMessage(message: string): string {
  const text = message
    .replace(/, error found in #\d+ byte of \.\.\.\|.*$/s, '')
    .replace(/, got &value\..*$/s, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return text.length > 2000 ? `${text.slice(0, 2000)}...` : text;
}
