import type { ErrorCode } from '../../contract/errors.ts';

/** A refusal of the service, as the caller sees it. */
export class DrydockError extends Error {
  override name = 'DrydockError';
  /** Codes may be added; treat one you do not know as final unless the status says otherwise. */
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly requestId: string | undefined;

  constructor(
    status: number,
    body: { code: string; message: string; details?: Record<string, unknown> },
    requestId: string | undefined,
  ) {
    super(body.message);
    this.code = body.code;
    this.status = status;
    this.details = body.details ?? {};
    this.requestId = requestId;
  }

  static async from(response: Response): Promise<DrydockError> {
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const text = await response.text();
    try {
      const body = JSON.parse(text) as { code: string; message: string };
      return new DrydockError(response.status, body, requestId);
    } catch {
      // Not from us: a proxy in between, most likely.
      return new DrydockError(
        response.status,
        { code: 'INTERNAL_ERROR', message: `HTTP ${response.status}` },
        requestId,
      );
    }
  }
}
