/** Maximum number of texts kept per server. */
const maxTexts = 20_000;
/** Texts with more characters are not kept. */
const maxTextLength = 16_384;

/**
 * Tracks what each server has said in a turn. Only these texts may be sent back to the server without approval, so a
 * prompt-injected model cannot leak to one server what it read elsewhere.
 */
export class ServerTextTracker {
  private readonly byServer = new Map<string, Set<string>>();

  record(serverId: string, value: unknown): void {
    const known = this.byServer.get(serverId) ?? new Set<string>();
    this.byServer.set(serverId, known);
    for (const text of textsIn(value)) {
      if (known.size >= maxTexts) return;
      if (text.length <= maxTextLength) known.add(text);
    }
  }

  /**
   * Whether the server has said every text and number of a body; booleans and null are always allowed. A list or
   * object with contents is never covered: a server that has said every letter could be told anything in pieces.
   */
  coverAll(serverId: string, body: unknown): boolean {
    const known = this.byServer.get(serverId);
    return Object.values(body ?? {}).every((value: unknown) => {
      if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
      return typeof value === 'string' || typeof value === 'number' ? known?.has(String(value)) : true;
    });
  }
}

/** Every text in a value, including keys below the first level; numbers as text. */
function* textsIn(value: unknown): Generator<string> {
  const pending: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string' || typeof next === 'number') yield String(next);
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) yield* Object.keys(next);
    for (const inner of Object.values(next)) pending.push(inner);
  }
}
