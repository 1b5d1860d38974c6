import { isIP } from 'node:net'

/** The addresses of each name of a hosts file, in the order of its lines; names are in lower case, without a dot at the end. */
export type HostsFile = ReadonlyMap<string, readonly string[]>

/** Reads lines of an address, a name and further names (hosts(5)). Anything else is passed over. */
export function readHostsFile(text: string): HostsFile {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const each of names) {
      const name = each.toLowerCase().replace(/\.$/, '')
      const known = hosts.get(name)
      if (known === undefined) hosts.set(name, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return hosts
}
