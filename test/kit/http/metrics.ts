import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** One line of the metrics. */
export interface Metric {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric, by its name and those labels that matter. */
type MetricNamed = Pick<Metric, 'name'> & { readonly labels?: Metric['labels'] }

/** Reads the metrics of a server as numbers. */
export class MetricsReader {
  readonly #url: string
  readonly #token: string

  constructor({ url, data }: { readonly url: string; readonly data: string }) {
    this.#url = url
    this.#token = readFileSync(join(data, 'metrics.token'), 'utf8').trim()
  }

  async read(): Promise<Metric[]> {
    const lines = (await readMetrics(this.#url, this.#token)).matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)
    return [...lines].map(([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]),
      ),
      value: Number(value),
    }))
  }

  /** The value of the first that has this name and these labels. */
  valueIn(metrics: readonly Metric[], { name, labels = {} }: MetricNamed): number | undefined {
    const hasLabels = (metric: Metric) =>
      Object.entries(labels).every(([label, text]) => metric.labels[label] === text)
    return metrics.find((metric) => metric.name === name && hasLabels(metric))?.value
  }

  async value(named: MetricNamed): Promise<number | undefined> {
    return this.valueIn(await this.read(), named)
  }
}
