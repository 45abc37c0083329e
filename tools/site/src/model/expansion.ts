/** Escapes a text for Kubernetes' expansion of `$(NAME)`: `$` before `$` or `(` is doubled. */
export function escapeExpansion(text: string): string {
  return text.replace(/\$(?=[$(])/g, '$$$$');
}

/** The container's environment variable with the value of an action's parameter. */
export function parameterVariable(name: string): string {
  return `CCP_PARAMETER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}
