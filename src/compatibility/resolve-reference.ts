/** Maximum characters of a reference. */
const maxLength = 1_000;

/** Resolves a reference within a document; undefined if it leads nowhere. */
export function resolveReference(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/') || reference.length > maxLength) return undefined;
  return follow(root, reference.slice(2).split('/').map(decoded));
}

export function valueAt(root: unknown, pointer: string): unknown {
  return follow(root, pointer.split('/').slice(1));
}

function follow(root: unknown, tokens: readonly string[]): unknown {
  let part = root;
  for (const token of tokens) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined;
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
