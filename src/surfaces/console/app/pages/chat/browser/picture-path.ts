/** The page may have been opened under another name of the service than the one it calls itself. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return pathname + search;
}
