import { CcpError, escapeControls } from '#core';

/**
 * Reports of a full disk: texts of the system, the number of ENOSPC (28) or EDQUOT (122) in a Go
 * error of the distribution registry, and MinIO's code.
 */
const NO_SPACE = /no space left|disk quota exceeded|"Err":(?:28|122)\b|StorageFull/i;

/** True for a response that reports a full disk: another attempt cannot succeed. */
export function isRegistryFull(status: number, body: string): boolean {
  return status === 507 || (status >= 400 && NO_SPACE.test(body));
}

/**
 * The error text in a response, from its JSON if possible: one line, control characters escaped.
 */
function reasonOf(body: string): string {
  return escapeControls(textOf(body).slice(0, 300));
}

function textOf(body: string): string {
  try {
    const { errors } = JSON.parse(body) as { errors?: Record<string, unknown>[] };
    const first = errors?.[0];
    if (first !== undefined)
      return [first['code'], first['message'], first['detail']]
        .filter((part) => typeof part === 'string' && part !== '')
        .join(': ');
  } catch {
    // Not JSON: the text is shown unchanged.
  }
  return body.slice(0, 1000).replace(/\s+/g, ' ').trim();
}

/** The error for an unexpected status. `action` is a clause such as `read manifest a/b:1`. */
export function requestRefused(
  host: string,
  action: string,
  status: number,
  body: string,
): CcpError {
  const reason = reasonOf(body);
  if (isRegistryFull(status, body)) {
    return new CcpError({
      code: 'registry-full',
      message: `${host} cannot ${action}: its disk or quota is full (status ${status}${reason === '' ? '' : `, ${reason}`})`,
      hint: 'free space in the registry and run the command again; it continues with the missing blobs',
    });
  }
  const message = `${host} refused to ${action}: status ${status}${reason === '' ? '' : ` (${reason})`}`;
  if (status === 401 || status === 403) {
    return new CcpError({
      code: 'registry-denied',
      message,
      hint: `log in with \`docker login ${host}\` or \`skopeo login ${host}\``,
    });
  }
  return new CcpError({
    code: 'registry-failed',
    message,
    hint: "check the registry's logs; if it is overloaded, run the command again later",
  });
}

/** The error for a response that violates the specification or does not match the request. */
export function invalidResponse(host: string, action: string, reason: string): CcpError {
  return new CcpError({
    code: 'registry-invalid',
    message: `${host} sent an invalid response when asked to ${action}: ${reason}`,
  });
}

/** The error for a body that ends early or has another digest: it may be whole when read again. */
export function damagedResponse(host: string, action: string, reason: string): CcpError {
  return new CcpError({
    code: 'registry-damaged',
    message: `${host} sent damaged content when asked to ${action}: ${reason}`,
  });
}
