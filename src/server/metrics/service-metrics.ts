import { Gauge, type Registry } from 'prom-client'
import { atOnce } from './at-once.ts'
import type { MetricsSources } from './sources.ts'

/** Measures what an operator looks after: the version, the disk and the backups. */
export function measureService(
  registry: Registry,
  sources: Pick<MetricsSources, 'build' | 'disk' | 'lastBackupAt'>,
): void {
  const labelNames = Object.keys(sources.build)
  new Gauge({
    name: 'posthorn_build_info',
    help: 'Always 1; the labels are the version of Posthorn, that of Node, and the kind of store.',
    labelNames,
    registers: [registry],
  }).set({ ...sources.build }, 1)
  const readDisk = atOnce(() => sources.disk())
  for (const part of ['free', 'size'] as const)
    new Gauge({
      name: `posthorn_data_disk_${part}_bytes`,
      help:
        part === 'free'
          ? 'Bytes of the disk of the data folder that this user may still fill.'
          : 'Bytes of the disk of the data folder.',
      registers: [registry],
      async collect() {
        const bytes = (await readDisk())?.[part]
        if (bytes === undefined) this.reset()
        else this.set(bytes)
      },
    })
  new Gauge({
    name: 'posthorn_last_backup_timestamp_seconds',
    help: 'When `posthorn backup` last succeeded, in seconds since the epoch; 0 if it never has.',
    registers: [registry],
    async collect() {
      this.set(((await sources.lastBackupAt()) ?? 0) / 1000)
    },
  })
}
