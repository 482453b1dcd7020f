type Area = 'localStorage' | 'sessionStorage';

/** What is kept under a name, for this browser or for this tab. Where storage is closed, nothing is. */
export function keptIn(area: Area, name: string): string | undefined {
  try {
    return globalThis[area].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text, or with `undefined` drops it. Where storage is closed or full, whoever asks later finds nothing. */
export function keepIn(area: Area, name: string, text: string | undefined): void {
  try {
    if (text === undefined) globalThis[area].removeItem(name);
    else globalThis[area].setItem(name, text);
  } catch {
    // Everything kept is a convenience: the page works without it.
  }
}
