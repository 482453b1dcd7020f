const base = 'http://console.invalid';

/** Returns a console path, or `/` for anything else, to prevent open redirects. */
export function safeRedirectPath(wanted: string | null | undefined): string {
  if (typeof wanted !== 'string' || !/^\/(?![/\\])[^\\\s\p{Cc}]*$/u.test(wanted)) return '/';
  // Resolved the way a browser resolves it.
  const url = URL.canParse(wanted, base) ? new URL(wanted, base) : undefined;
  return url?.origin === base && !url.pathname.startsWith('//') ? wanted : '/';
}

/** Whether a URL of a provider is http or https; the browser is sent nowhere else. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
