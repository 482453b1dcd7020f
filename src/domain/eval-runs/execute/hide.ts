import { hideSecretsInTurns } from '../../../mcp/target.ts';

/** Shorter ones are no secrets, and stand in texts by chance. */
const shortest = 6;

/**
 * Takes these secrets out of what servers say, before a model, a check or a trace sees it. Looking for them is cheap;
 * only where one is found the value is gone through in all ways of writing it.
 */
export function hiding(values: readonly string[]): <T>(value: T) => Promise<T> {
  const secrets = [...new Set(values)].filter(({ length }) => length >= shortest);
  if (secrets.length === 0) return async (value) => value;
  const forms = [...new Set(secrets.flatMap(waysToWrite))];
  return async (value) => {
    const text = JSON.stringify(value) ?? '';
    return forms.some((form) => text.includes(form)) ? hideSecretsInTurns(value, secrets) : value;
  };
}

/** As it stands in JSON, in JSON inside JSON, in a URL and in base64. */
function waysToWrite(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const nested = JSON.stringify(inJson).slice(1, -1);
  const encoded = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [inJson, nested, encodeURIComponent(secret), encoded.slice(0, -1)];
}
