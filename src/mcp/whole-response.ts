/**
 * A response whose body has been read. The built-in Response would copy the bytes into a stream and back, which takes
 * longer than a small request and a tenth of a second for a large one.
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

  /** Reading does not consume the body. */
  override readonly clone = (): Response => this;
}

/** A byte order mark is allowed before JSON, but is not part of it. */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
