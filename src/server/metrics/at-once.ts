/** Reads once for all gauges that are collected at the same time. */
export function atOnce<R>(read: () => Promise<R>): () => Promise<R> {
  let reading: Promise<R> | undefined
  return () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}
