/**
 * A response whose body has been read. The one of the platform would copy the bytes into a stream and back out of it,
 * which costs more than the request where there are few of them, and a tenth of a second where there are many.
 */
export class WholeResponse extends Response {
  private readonly content: Buffer;

  constructor(content: Buffer, init: ResponseInit) {
    super(null, init);
    this.content = content;
  }

  override readonly text = async (): Promise<string> => this.content.toString('utf8');

  override readonly json = async (): Promise<unknown> =>
    JSON.parse(withoutMark(this.content.toString('utf8')));

  override readonly arrayBuffer = async (): Promise<ArrayBuffer> => new Uint8Array(this.content).buffer;

  /** Reading it does not use it up. */
  override readonly clone = (): Response => this;
}

/** A byte order mark is no JSON, and is allowed before it. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
