/** An event of a stream; `id` is the last ID received. */
export interface StreamedEvent {
  id: string | undefined;
  data: string;
}

/** Maximum characters per event. */
const maxEventLength = 16_000_000;

/**
 * Parses `text/event-stream` in pieces of any size. Lines end with CR, LF or both; a CR at the end of a piece is held
 * back until the next piece, because an LF may follow.
 */
export class EventParser {
  /** Reconnection delay requested by the service, in milliseconds. */
  retry: number | undefined;
  private rest = '';
  /** Position up to which the rest has been searched for a line end. */
  private searched = 0;
  private started = false;
  private id: string | undefined;
  private data: string[] = [];
  private size = 0;

  /** Returns the events completed by this piece. */
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
    if (this.rest.length > maxEventLength) throw new RangeError('An event is too long');
    return events;
  }

  /** An empty line ends an event; a line that starts with a colon is a comment. */
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
    if (this.size > maxEventLength) throw new RangeError('An event is too long');
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
