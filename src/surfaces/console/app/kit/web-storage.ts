type Area = 'localStorage' | 'sessionStorage';

/** Reads from web storage. Undefined if missing or if storage is disabled. */
export function readStorage(area: Area, name: string): string | undefined {
  try {
    return globalThis[area].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Writes to web storage; `undefined` removes the value. Does nothing if storage is disabled or full. */
export function writeStorage(area: Area, name: string, text: string | undefined): void {
  try {
    if (text === undefined) globalThis[area].removeItem(name);
    else globalThis[area].setItem(name, text);
  } catch {
    // Stored values are only a convenience; the page works without them.
  }
}
