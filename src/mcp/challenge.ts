import type { Challenge } from './failures.ts';

/** Parses the `WWW-Authenticate` header of a response. */
export function challengeOf(response: Response): { challenge?: Challenge } {
  const header = response.headers.get('www-authenticate');
  if (header === null) return {};
  const scheme = /^\s*([\w-]+)/.exec(header)?.[1] ?? '';
  const metadata = parameterOf(header, 'resource_metadata');
  const scope = parameterOf(header, 'scope');
  const error = parameterOf(header, 'error');
  return {
    challenge: {
      scheme,
      ...(metadata !== undefined &&
        URL.canParse(metadata) && { resourceMetadataUrl: new URL(metadata).href }),
      ...(scope !== undefined && { scopes: scope.split(' ').filter(Boolean) }),
      ...(error !== undefined && { error }),
    },
  };
}

/** `name="value"` or `name=value` in a challenge. */
function parameterOf(header: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|[\\s,])${name}=(?:"([^"]*)"|([^\\s,]+))`, 'i').exec(header);
  return match?.[1] ?? match?.[2];
}
