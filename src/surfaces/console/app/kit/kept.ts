type Area = 'localStorage' | 'sessionStorage';

/** Reads a value of web storage; undefined where storage is disabled. Where storage is closed, nothing is. */
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
