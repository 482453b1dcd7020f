/** The outcome of `work`, or an error when it takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) => (timer = setTimeout(() => reject(new Error('too slow')), ms)),
  );
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
