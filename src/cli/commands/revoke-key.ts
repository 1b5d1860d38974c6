import { listApiKeys, revokeApiKey } from '../../organizations/key-store.ts'
import { command, json, Refusal, WrongUsage } from '../command.ts'
import { print, printJson, readableTime } from '../output.ts'
import { withStore } from '../store.ts'

/** `posthorn keys revoke`. A key that was revoked before stays so, and that is no failure. */
export const revokeKey = command({
  name: 'keys revoke',
  summary: 'Revoke an API key; a running server refuses it within a second.',
  operands: ['ID'],
  options: { json },
  async run({ operands: [id = ''], options }) {
    if (!id.startsWith('key_'))
      throw new WrongUsage(
        'a key is revoked by its id, key_…, not by the key itself; `npx posthorn keys list` shows the ids',
      )
    const { key, revoked } = await withStore(async (store) => {
      const revoked = await store.transact(revokeApiKey, { id, now: Date.now() })
      return {
        revoked,
        key: (await store.read(listApiKeys, { organization: null })).find((key) => key.id === id),
      }
    })
    if (!key || key.revoked_at === null)
      throw new Refusal(`there is no key ${id}; \`npx posthorn keys list\` lists them`)
    const { organization, role, revoked_at } = key
    if (options.json) printJson({ id, organization, role, revoked_at: new Date(revoked_at).toISOString() })
    else if (revoked === 'revoked')
      print(`The ${role} key ${id} of ${organization} is revoked; the server refuses it within a second.`)
    else print(`The ${role} key ${id} of ${organization} was revoked before, at ${readableTime(revoked_at)}.`)
  },
})
