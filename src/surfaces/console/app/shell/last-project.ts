const place = 'drydock-project';

/** Where the reader was last. Storage may be closed, then it is nowhere. */
export function lastProject(): string | undefined {
  try {
    return localStorage.getItem(place) ?? undefined;
  } catch {
    return undefined;
  }
}

export function rememberProject(id: string): void {
  try {
    localStorage.setItem(place, id);
  } catch {
    // Then the first project is opened next time.
  }
}
