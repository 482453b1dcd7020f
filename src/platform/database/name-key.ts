/** The key of a name, which is case-insensitive. Computed here, because a database may lowercase ASCII only. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
