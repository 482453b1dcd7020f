const manifestName = '/SKILL.md';

/**
 * One spelling for all ways to write the address of a file (`Q&A.md`, `Q%26A.md#top`). Undefined for what is no address,
 * has a query, or a step that is empty or hides a slash.
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

/** The folder of a SKILL.md, in the spelling of `fileKey`. */
export function folderOf(skillUri: string): string | undefined {
  const key = fileKey(skillUri);
  const folder = key?.endsWith(manifestName) ? key.slice(0, -manifestName.length) : '';
  // What is left of an address without a folder ends with a slash.
  return /[^/]$/.test(folder) ? folder : undefined;
}

/** The name of a folder: its last step. */
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
