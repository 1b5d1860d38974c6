import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { getMe } from '../../../contract/operations/key-operations.ts'
import { readSecretFile } from '../../../runtime/config/secret-file.ts'
import { command, Refusal } from '../../command.ts'
import { knownServers, rememberServers } from '../../known-servers.ts'
import { explain, print } from '../../output.ts'
import { checkedUrl, clientOf } from '../../server-client.ts'

/** `posthorn login`: remembers a server and a key on this machine, once the server has taken the key. */
export const logInCommand = command({
  name: 'login',
  summary: 'Store a server and your API key on this machine, for the commands that call it.',
  operands: ['URL'],
  options: {
    name: {
      type: 'string',
      value: 'NAME',
      description: 'The name of the profile. By default, the host of the URL.',
    },
    'key-file': {
      type: 'string',
      value: 'FILE',
      description:
        'The file with the API key. By default, the key is asked for, or read from standard input.',
    },
  },
  async run({ operands: [given = ''], options }) {
    const url = checkedUrl(given)
    const key = keyFrom(
      options['key-file'] === undefined ? await asked() : readSecretFile(options['key-file']),
    )
    const { body } = await clientOf({ url, key }).call(getMe)
    const name = options.name ?? new URL(url).hostname
    rememberServers({ [name]: { url, key } })
    const whose = body.organization ? `of the organization ${body.organization.name}` : 'of the operator'
    print(`logged in to ${url} as ${name}, with a key ${whose}`)
  },
})

/** `posthorn logout`. The key itself stays valid: an admin revokes it. */
export const logOutCommand = command({
  name: 'logout',
  summary: 'Forget a server and its key on this machine. The key stays valid until it is revoked.',
  operands: ['PROFILE'],
  async run({ operands: [name = ''] }) {
    if (!Object.hasOwn(knownServers(), name)) throw new Refusal(`there is no profile "${name}"`)
    rememberServers({ [name]: undefined })
    print(`forgot ${name}`)
  },
})

function keyFrom(text: string | undefined): string {
  const key = text?.trim()
  if (key) return key
  throw new Refusal('there is no key; give it on standard input or with --key-file')
}

/** The key that a person types, which the terminal does not show, or what comes on standard input. */
async function asked(): Promise<string> {
  if (!process.stdin.isTTY) return readFileSync(0, 'utf8')
  explain('API key (it is not shown):')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    return await reader.question('')
  } finally {
    reader.close()
  }
}
