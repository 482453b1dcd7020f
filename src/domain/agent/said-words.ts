/** Texts kept of one server, and the characters that one may have. */
const mostTexts = 20_000;
const longest = 16_384;

/**
 * What each server has said in a turn. Only such words go back to it unasked: a model that was talked into telling one
 * server what it read elsewhere has no words of its own to do that with.
 */
export class SaidWords {
  private readonly byServer = new Map<string, Set<string>>();

  hear(serverId: string, value: unknown): void {
    const known = this.byServer.get(serverId) ?? new Set<string>();
    this.byServer.set(serverId, known);
    for (const text of textsIn(value)) {
      if (known.size >= mostTexts) return;
      if (text.length <= longest) known.add(text);
    }
  }

  /**
   * Whether a body holds nothing but whole texts and numbers that the server has said. What holds several, as the
   * arguments of a prompt, is never covered: a server that has said every letter could be told anything.
   */
  coverAll(serverId: string, body: unknown): boolean {
    const known = this.byServer.get(serverId);
    return Object.values(body ?? {}).every((value: unknown) => {
      if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
      return typeof value === 'string' || typeof value === 'number' ? known?.has(String(value)) : true;
    });
  }
}

/** Every text in a value, keys below its first level included; numbers as texts. */
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
