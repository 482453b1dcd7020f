import bundled from './bundled.json' with { type: 'json' };

/** The servers bundled with the directory. */
export function bundledText(): string {
  return JSON.stringify(bundled);
}
