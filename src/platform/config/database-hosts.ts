/** Values of `target_session_attrs` that select the primary, which is always required. */
const primaryWords = new Set(['primary', 'read-write', 'any']);

/**
 * Splits `postgres://user:password@one:5432,two:5432/name` into a URL for each host, because the driver supports only
 * one. The other parts of the URL apply to all of them.
 */
export function hostUrls(url: string): string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/s.exec(url);
  if (!parts) throw new Error('Write it as postgres://user:password@host:port/database');
  const [, before = '', hosts = '', after = ''] = parts;
  const [path = '', search = ''] = splitOnce(after, '?');
  const parameters = new URLSearchParams(search);
  const wanted = parameters.get('target_session_attrs');
  if (wanted !== null && !primaryWords.has(wanted))
    throw new Error('target_session_attrs can only be primary or read-write: Drydock writes');
  parameters.delete('target_session_attrs');
  const rest = `${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
  const urls = hosts.split(',').map((host) => `${before}${host}${rest}`);
  if (urls.length > 1 && (parameters.has('host') || parameters.has('port')))
    throw new Error('Name several hosts before the database, or one with ?host=, not both');
  // With ?host= the URL may have a user but no host: the driver accepts that, but URL does not.
  if (hosts !== '' || !parameters.has('host'))
    for (const one of urls) if (!URL.canParse(one)) throw new Error('A host or port in it cannot be read');
  return urls;
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
