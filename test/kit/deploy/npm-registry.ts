import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import { promisify } from 'node:util'

export interface NpmRegistry {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a registry on this machine that has one package of its own, and refers to the machine's registry for all others. */
export async function startNpmRegistry(tarball: string, described: PackageDescription): Promise<NpmRegistry> {
  const bytes = readFileSync(tarball)
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'])
  const others = new URL(stdout.trim())
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://registry')
    const address = server.address() as AddressInfo
    const file = `/${described.name}/-/${basename(tarball)}`
    if (pathname === file) response.end(bytes)
    else if (pathname === `/${described.name}`) {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(entryOf(described, `http://127.0.0.1:${address.port}${file}`, bytes)))
    } else {
      const location = new URL(`.${request.url}`, others).href
      response.writeHead(307, { location }).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The fields of the `package.json` of a package that a registry repeats. */
export interface PackageDescription {
  readonly name: string
  readonly version: string
}

/** The entry of a package with one version. */
function entryOf(described: PackageDescription, tarball: string, bytes: Buffer): object {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const shasum = createHash('sha1').update(bytes).digest('hex')
  const { name, version } = described
  const released = {
    ...described,
    _id: `${name}@${version}`,
    dist: { tarball, integrity, shasum },
  }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: released } }
}
