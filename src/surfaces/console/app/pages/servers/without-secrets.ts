interface Secretive {
  headers?: Record<string, string> | undefined;
  env?: Record<string, string> | undefined;
}

/** A request body for display: names of secrets without their values. */
export function withoutSecrets<Body extends Secretive>(body: Body): Body {
  const names = (record: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.keys(record).map((name) => [name, '…']));
  return {
    ...body,
    ...(body.headers && { headers: names(body.headers) }),
    ...(body.env && { env: names(body.env) }),
  };
}
