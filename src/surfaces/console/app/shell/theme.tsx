import { useState } from 'react';
import { IconButton } from '../kit/button.tsx';
import { MoonIcon, SunIcon, SystemIcon } from '../kit/icons.tsx';
import { Menu } from '../kit/menu.tsx';
import { writeStorage } from '../kit/web-storage.ts';

type Theme = 'system' | 'light' | 'dark';

const storageKey = 'drydock-theme';

const options = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** `theme.js` does the same before the first paint. */
function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  writeStorage('localStorage', storageKey, theme === 'system' ? undefined : theme);
}

export function ThemeMenu() {
  const [theme, setTheme] = useState<Theme>(
    () => (document.documentElement.dataset['theme'] as Theme | undefined) ?? 'system',
  );
  const choose = (next: Theme): void => {
    apply(next);
    setTheme(next);
  };
  const icon = theme === 'system' ? <SystemIcon /> : theme === 'light' ? <SunIcon /> : <MoonIcon />;
  return (
    <Menu
      trigger={<IconButton label="Theme">{icon}</IconButton>}
      label="Theme"
      options={options}
      value={theme}
      onChoose={choose}
    />
  );
}
