import {
  BackupBroken,
  type BackupHeader,
  type Digest,
  Digesting,
  entriesOf,
  headerIn,
  jsonIn,
  type Manifest,
  manifestName,
  type OnProgress,
  wholeOf,
} from './format.ts'

/** Reads a backup from end to end and compares it with its manifest. Throws `BackupBroken` if it is not complete. */
export async function checkBackup(
  file: string,
  onProgress: OnProgress,
): Promise<{ header: BackupHeader; manifest: Manifest }> {
  const broken = (why: string) => new BackupBroken(`${file} is not a complete backup: ${why}`)
  const found = new Map<string, Digest>()
  const rows: Record<string, number> = {}
  let header: BackupHeader | undefined
  let manifest: Manifest | undefined
  for await (const { name, bytes } of entriesOf(file, onProgress)) {
    if (manifest) throw broken('something follows the manifest')
    if (name === manifestName) {
      manifest = jsonIn(file, await wholeOf(bytes)) as Manifest
      continue
    }
    const digesting = new Digesting()
    const passed = digesting.pass(bytes)
    const table = /^tables\/([^/]+)\//.exec(name)?.[1]
    if (!header) header = headerIn(file, name, await wholeOf(passed))
    else if (table !== undefined) rows[table] = (rows[table] ?? 0) + linesIn(await wholeOf(passed))
    else for await (const _ of passed);
    found.set(name, digesting.digest())
  }
  if (!header || !manifest) throw broken('its end is missing')
  compare(found, rows, manifest, broken)
  return { header, manifest }
}

function linesIn(bytes: Buffer): number {
  return bytes.toString('latin1').split('\n').length - 1
}

function compare(
  found: ReadonlyMap<string, Digest>,
  rows: Readonly<Record<string, number>>,
  { entries, rows: counts }: Manifest,
  broken: (why: string) => Error,
): void {
  for (const [name, { sha256, size }] of Object.entries(entries)) {
    const digest = found.get(name)
    if (!digest) throw broken(`${name} is missing`)
    if (digest.sha256 !== sha256 || digest.size !== size) throw broken(`${name} is damaged`)
  }
  if (found.size !== Object.keys(entries).length)
    throw broken('it contains entries that its manifest does not list')
  for (const [table, count] of Object.entries(counts))
    if ((rows[table] ?? 0) !== count) throw broken(`${table} should have ${count} rows`)
}
