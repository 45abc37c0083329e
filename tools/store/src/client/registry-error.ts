import { CcpError } from '#core';

/** What a registry's refusal says, from its JSON where it has one; at most a line. */
export function reasonOf(body: string): string {
  try {
    const { errors } = JSON.parse(body) as { errors?: { code?: unknown; message?: unknown }[] };
    const first = errors?.[0];
    if (first !== undefined)
      return [first.code, first.message]
        .filter((part) => typeof part === 'string')
        .join(': ')
        .slice(0, 300);
  } catch {
    // not JSON: shown as it is
  }
  return body.replace(/\s+/g, ' ').trim().slice(0, 300);
}

/** The error for an answer nobody expected. `what` is a clause such as `read manifest a/b:1`. */
export function refused(host: string, what: string, status: number, body: string): CcpError {
  const reason = reasonOf(body);
  const message = `${host} refused to ${what}: status ${status}${reason === '' ? '' : ` (${reason})`}`;
  if (status === 401 || status === 403) {
    return new CcpError({
      code: 'registry-denied',
      message,
      hint: `log in with \`docker login ${host}\` or \`skopeo login ${host}\`; credential helpers are not asked`,
    });
  }
  return new CcpError({ code: 'registry-failed', message, hint: 'see what the registry says; where it is overloaded, run the command again' });
}

/** The error for an answer that is not what the specification allows, or not what was asked for. */
export function invalidAnswer(host: string, what: string, reason: string): CcpError {
  return new CcpError({ code: 'registry-invalid', message: `${host} answered wrongly to ${what}: ${reason}` });
}
