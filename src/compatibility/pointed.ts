const longest = 1_000;

/** What a reference inside of a document leads to. */
export function pointed(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/') || reference.length > longest) return undefined;
  let part = root;
  for (const token of reference.slice(2).split('/')) {
    const key = decoded(token).replaceAll('~1', '/').replaceAll('~0', '~');
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
