/** A URL for display. Values in the query may be keys, so only names are kept. */
export function hideQuery(url: string): string {
  const shown = new URL(url);
  shown.hash = '';
  const fields = [...shown.searchParams].map(([name, value]) => (value === '' ? 'hidden' : `${name}=hidden`));
  shown.search = fields.join('&');
  return shown.href;
}
