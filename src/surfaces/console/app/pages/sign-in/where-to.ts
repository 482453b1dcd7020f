const base = 'http://console.invalid';

/** A page of the console, whatever the address says: nothing leads elsewhere. */
export function whereTo(wanted: string | null | undefined): string {
  if (typeof wanted !== 'string' || !/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(wanted)) return '/';
  // Resolved as a browser would resolve it.
  const url = URL.canParse(wanted, base) ? new URL(wanted, base) : undefined;
  return url?.origin === base && !url.pathname.startsWith('//') ? wanted : '/';
}

/** A provider's page: the browser is sent nowhere but to a web address. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
