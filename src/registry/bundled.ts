import bundled from './bundled.json' with { type: 'json' };

/** Servers that the directory knows without asking anybody. */
export function bundledText(): string {
  return JSON.stringify(bundled);
}
