/** One event of a stream; `id` is the last one that was said. */
export interface StreamedEvent {
  id: string | undefined;
  data: string;
}

/** Characters that one event may have. */
const longest = 16_000_000;

/**
 * Reads `text/event-stream` as it comes, in whatever pieces. Lines end with CR, LF or both; a CR at the end of a piece
 * waits for the next, since an LF may belong to it.
 */
export class EventParser {
  /** Milliseconds that the service asks to wait for before coming again. */
  retry: number | undefined;
  private rest = '';
  /** Up to where the rest is known to hold no end of a line. */
  private searched = 0;
  private started = false;
  private id: string | undefined;
  private data: string[] = [];
  private size = 0;

  /** The events that are complete now. */
  feed(piece: string): StreamedEvent[] {
    if (!this.started && piece !== '') {
      this.started = true;
      if (piece.startsWith('\uFEFF')) piece = piece.slice(1);
    }
    this.rest += piece;
    const events: StreamedEvent[] = [];
    let from = 0;
    const end = /\r\n|\n|\r(?!$)/g;
    end.lastIndex = this.searched;
    for (let found = end.exec(this.rest); found; found = end.exec(this.rest)) {
      const event = this.line(this.rest.slice(from, found.index));
      if (event) events.push(event);
      from = end.lastIndex;
    }
    this.rest = this.rest.slice(from);
    this.searched = Math.max(0, this.rest.length - 1);
    if (this.rest.length > longest) throw new RangeError('An event is too long');
    return events;
  }

  /** An empty line ends an event; one that begins with a colon is a comment. */
  private line(line: string): StreamedEvent | undefined {
    if (line === '') return this.complete();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.keep(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
    return undefined;
  }

  private keep(value: string): void {
    this.size += value.length + 1;
    if (this.size > longest) throw new RangeError('An event is too long');
    this.data.push(value);
  }

  private complete(): StreamedEvent | undefined {
    if (this.data.length === 0) return undefined;
    const event = { id: this.id, data: this.data.join('\n') };
    this.data = [];
    this.size = 0;
    return event;
  }
}
