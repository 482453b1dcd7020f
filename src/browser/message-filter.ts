/** Maximum bytes of one message. The largest useful one is a screenshot. */
const maxBytes = 24 * 1024 * 1024;
/** Maximum messages per second of each kind that pages can trigger at will and that no caller waits for. */
const maxPerSecond = 200;
/** Maximum bytes per second of each such kind. */
const maxBytesPerSecond = 4 * 1024 * 1024;

const madeAtWill = [
  'Runtime.consoleAPICalled',
  'Runtime.exceptionThrown',
  'Log.entryAdded',
  'Network.dataReceived',
  'Network.webSocketFrameSent',
  'Network.webSocketFrameReceived',
  'Network.eventSourceMessageReceived',
].map((method) => Buffer.from(`{"method":"${method}"`));

interface Flow {
  second: number;
  messages: number;
  bytes: number;
}

/**
 * Passes on messages of the browser. Drops messages that are too large or exceed the rate. Each message ends with a NUL
 * byte.
 */
export class MessageFilter {
  private readonly pass: (bytes: Buffer) => void;
  private readonly now: () => number;
  private held: Buffer[] = [];
  private heldBytes = 0;
  private skipping = false;
  private readonly flows = new Map<Buffer, Flow>();

  constructor(pass: (bytes: Buffer) => void, now: () => number = () => performance.now()) {
    this.pass = pass;
    this.now = now;
  }

  feed(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      this.hold(chunk.subarray(start, end + 1));
      this.endMessage();
      start = end + 1;
    }
    if (start < chunk.length) this.hold(chunk.subarray(start));
  }

  private hold(bytes: Buffer): void {
    if (this.skipping) return;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.heldBytes <= maxBytes) return;
    this.skipping = true;
    this.held = [];
  }

  private endMessage(): void {
    const [first] = this.held;
    if (!this.skipping && first) {
      const message = this.held.length === 1 ? first : Buffer.concat(this.held);
      if (!this.floods(message)) this.pass(message);
    }
    this.held = [];
    this.heldBytes = 0;
    this.skipping = false;
  }

  private floods(message: Buffer): boolean {
    const kind = madeAtWill.find((prefix) => prefix.equals(message.subarray(0, prefix.length)));
    if (!kind) return false;
    const second = Math.floor(this.now() / 1000);
    let flow = this.flows.get(kind);
    if (flow?.second !== second) flow = { second, messages: 0, bytes: 0 };
    this.flows.set(kind, flow);
    flow.messages++;
    flow.bytes += message.length;
    return flow.messages > maxPerSecond || flow.bytes > maxBytesPerSecond;
  }
}
