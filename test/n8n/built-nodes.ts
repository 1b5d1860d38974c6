import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installPackages } from '../kit/processes/installed-package.ts'
import { root } from '../kit/source-tree.ts'

const run = promisify(execFile)
const here = fileURLToPath(new URL('.', import.meta.url))

/** The folder of the package. */
export const nodesFolder = join(root, 'integrations/n8n')

type Hook = (this: object) => Promise<boolean>

/** The classes of the package, as n8n loads them. */
export interface BuiltNodes {
  readonly Posthorn: new () => {
    readonly description: { readonly properties: readonly { readonly name: string }[] }
    readonly methods: { readonly loadOptions: Readonly<Record<string, (this: object) => Promise<object[]>>> }
    execute(this: object): Promise<readonly (readonly NodeResult[])[]>
  }
  readonly PosthornTrigger: new () => {
    readonly description: {
      readonly properties: readonly {
        readonly name: string
        readonly options: readonly { value: string }[]
      }[]
    }
    readonly webhookMethods: {
      readonly default: { readonly checkExists: Hook; readonly create: Hook; readonly delete: Hook }
    }
    webhook(this: object): Promise<WebhookResult>
  }
  readonly PosthornApi: new () => Credentials
}

/** One item that a node returns. */
export interface NodeResult {
  readonly json: Readonly<Record<string, unknown>>
  readonly error?: Error
  readonly binary?: { readonly data: Readonly<Record<'data' | 'fileName' | 'mimeType', string>> }
  readonly pairedItem: { readonly item: number }
}

export interface WebhookResult {
  readonly noWebhookResponse?: boolean
  readonly webhookResponse?: unknown
  readonly workflowData?: readonly (readonly NodeResult[])[]
}

interface Credentials {
  readonly authenticate: { readonly properties: { readonly headers: Readonly<Record<string, string>> } }
  readonly test: { readonly request: { readonly baseURL: string; readonly url: string } }
}

/** Compiles the package in a folder of its own, and loads it. `missing` is the reason why that cannot be. */
export async function builtNodes(): Promise<
  { nodes: BuiltNodes; folder: string; remove: () => void; missing?: undefined } | { missing: string }
> {
  const missing = await installPackages(here, 'n8n')
  if (missing !== undefined) return { missing }
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-n8n-'))
  for (const part of ['credentials', 'icons', 'nodes', 'package.json', 'tsconfig.json'])
    cpSync(join(nodesFolder, part), join(folder, part), { recursive: true })
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'), 'dir')
  const types = ['--typeRoots', join(root, 'node_modules', '@types')]
  await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder, ...types], { cwd: folder }).catch(
    ({ stdout }) => Promise.reject(new Error(`the nodes do not compile:\n${stdout}`)),
  )
  const load = createRequire(join(folder, 'package.json'))
  const nodes = {
    ...load('./dist/nodes/Posthorn/Posthorn.node.js'),
    ...load('./dist/nodes/PosthornTrigger/PosthornTrigger.node.js'),
    ...load('./dist/credentials/PosthornApi.credentials.js'),
  } as BuiltNodes
  cpSync(join(folder, 'icons'), join(folder, 'dist/icons'), { recursive: true })
  return { nodes, folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
