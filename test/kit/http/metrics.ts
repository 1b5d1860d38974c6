/**
 * Reads a server's metrics, in the text format of Prometheus. Each request has a connection of its own: one that was used
 * before may be closed, to make room for others, in the moment in which it is used again.
 */
export async function readMetrics(url: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  return (await fetch(`${url}/metrics`, { headers })).text()
}

/** The sum of the metrics of this name, with all their labels. */
export async function sumOfMetrics(url: string, token: string, name: string): Promise<number> {
  const values = (await readMetrics(url, token)).matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0)
}
