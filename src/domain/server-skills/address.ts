const manifestName = '/SKILL.md';

/**
 * Normalizes a file URI (`Q&A.md`, `Q%26A.md#top`). Undefined for an invalid URI, or one with a query, an empty
 * segment or an encoded slash.
 */
export function fileKey(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  if (url.search !== '') return undefined;
  url.hash = '';
  const [scheme, rest] = split(url.href.replace(/#$/, ''), '://');
  if (rest === undefined) return undefined;
  const steps = rest.split('/').map(decoded);
  if (steps.some((step) => step === '' || /^\.{1,2}$|[/\0]/.test(step))) return undefined;
  return `${scheme}://${steps.map(encodeURIComponent).join('/')}`;
}

/** The folder of a SKILL.md, normalized like `fileKey`. */
export function folderOf(skillUri: string): string | undefined {
  const key = fileKey(skillUri);
  const folder = key?.endsWith(manifestName) ? key.slice(0, -manifestName.length) : '';
  // Without a folder, only the origin with a trailing slash is left.
  return /[^/]$/.test(folder) ? folder : undefined;
}

/** The last segment of a folder. */
export function folderName(folder: string): string {
  return decodeURIComponent(folder.slice(folder.lastIndexOf('/') + 1));
}

function split(text: string, at: string): [string, string?] {
  const place = text.indexOf(at);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + at.length)];
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
