interface Secretive {
  headers?: Record<string, string> | undefined;
  env?: Record<string, string> | undefined;
}

/** What is sent, for showing it: names of what is secret without the values. */
export function withoutSecrets<Body extends Secretive>(body: Body): Body {
  const names = (record: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.keys(record).map((name) => [name, '…']));
  return {
    ...body,
    ...(body.headers && { headers: names(body.headers) }),
    ...(body.env && { env: names(body.env) }),
  };
}
