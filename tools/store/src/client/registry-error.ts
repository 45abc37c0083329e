import { CcpError, escapeControls } from '#core';

/**
 * The error text in a response, from its JSON if possible: one line, control characters escaped.
 */
function reasonOf(body: string): string {
  return escapeControls(textOf(body).slice(0, 300));
}

function textOf(body: string): string {
  try {
    const { errors } = JSON.parse(body) as { errors?: { code?: unknown; message?: unknown }[] };
    const first = errors?.[0];
    if (first !== undefined)
      return [first.code, first.message].filter((part) => typeof part === 'string').join(': ');
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
