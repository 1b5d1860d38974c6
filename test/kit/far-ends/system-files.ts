import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { NamesOptions } from '../../../src/net/resolve/names.ts'

/** A hosts file and a resolv.conf of one test, as a machine has them. They can be written again. */
export class SystemFiles implements Pick<NamesOptions, 'hostsFile' | 'resolverFile'> {
  readonly hostsFile: string
  readonly resolverFile: string

  constructor(t: Pick<TestContext, 'after'>, { hosts = '', resolver = '' } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-names-'))
    t.after(() => rmSync(folder, { recursive: true }))
    this.hostsFile = join(folder, 'hosts')
    this.resolverFile = join(folder, 'resolv.conf')
    this.writeHosts(hosts)
    writeFileSync(this.resolverFile, resolver)
  }

  writeHosts(text: string): void {
    writeFileSync(this.hostsFile, text)
  }
}
