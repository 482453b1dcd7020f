import type { Setting } from './setting.ts';
import { type Config, type SettingName, settings } from './settings.ts';

/** For people, in one line; of a secret only that there is one. */
export function shownSetting(name: SettingName, value: Config[SettingName]): string {
  const { fallback, secret } = settings[name] as Setting;
  if (value === undefined) return /rateLimit$/i.test(name) ? 'off' : `(${fallback ?? 'unset'})`;
  if (secret) return '(set)';
  if (typeof value === 'object' && 'perMinute' in value) return `${value.perMinute}/${value.burst}`;
  if (name === 'registrySources') return shownSources(value as Config['registrySources']);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function shownSources(sources: Config['registrySources']): string {
  const items = sources.map(({ name, kind, location }) =>
    kind === 'bundled' ? name : `${name}=${location}`,
  );
  return items.length === 0 ? 'off' : items.join(',');
}
