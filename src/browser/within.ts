/** What comes of the work, or of `late` when it takes longer than this many milliseconds; the work then goes on unseen. */
export async function within<T, Late>(ms: number, work: Promise<T>, late: () => Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<typeof timeIsOver>((resolve) => {
    timer = setTimeout(() => resolve(timeIsOver), ms);
  });
  try {
    const first = await Promise.race([work, over]);
    if (first !== timeIsOver) return first;
    work.catch(() => {});
    return late();
  } finally {
    clearTimeout(timer);
  }
}

const timeIsOver = Symbol('time is over');
