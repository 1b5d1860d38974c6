import assert from 'node:assert/strict'
import { isForKeys, type Operation, type Role } from '../../../src/contract/operation.ts'
import { operations } from '../../../src/contract/operations.ts'
import type { AuditEntry } from '../../../src/contract/resources/audit.ts'
import type { Key } from '../../../src/contract/resources/key.ts'
import {
  bearer,
  isList,
  type Names,
  nobodys,
  pathNames,
  request,
  somethingOfEverything,
  withoutRequestId,
} from '../../kit/http/contract-request.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/** Two organizations on one Posthorn: ours, `default`, which has something of everything, and another. */
export interface Neighbours {
  readonly posthorn: Posthorn
  readonly ours: Names
  readonly keys: Readonly<Record<Role | 'foreign', string>>
  readonly foreignKeyId: string
}

export async function startNeighbours(
  environment: Readonly<Record<string, string>> = {},
): Promise<Neighbours> {
  const posthorn = await startPosthorn({ environment: { POSTHORN_ADDRESS_RATE: 'off', ...environment } })
  const ours = await somethingOfEverything(posthorn, 'ours')
  await posthorn.createOrganization('neighbour')
  const issue = async (organization: string, role: Role) => (await posthorn.createKey(organization, role)).key
  const foreign = await posthorn.createKey('neighbour', 'admin')
  const keys = {
    admin: await issue('default', 'admin'),
    send: await issue('default', 'send'),
    read: await issue('default', 'read'),
    foreign: foreign.key,
  }
  return { posthorn, ours, keys, foreignKeyId: foreign.id }
}

/** An attempt of the other organization to see or use what is ours; rejects if it learns that there is anything. */
export interface Look {
  readonly title: string
  readonly play: (neighbours: Neighbours) => Promise<void>
}

/** The wall between organizations, as every operation of the contract meets it. */
export const looks: readonly Look[] = [
  ...operations.filter(({ params, access }) => params && isForKeys(access)).map(lookByName),
  ...operations
    .filter(({ body, form }) => 'instance' in (body ?? form ?? { properties: {} }).properties)
    .map(useOfInstance),
  ...operations
    .filter(
      ({ responses, path, access, isAboutServer }) =>
        isForKeys(access) && isList(responses) && !path.includes('{') && !isAboutServer,
    )
    .map(lookAtList),
]

function lookByName(operation: Operation): Look {
  return {
    title: `${operation.id}: what is ours is to them as if it were not there`,
    async play({ posthorn, ours, keys }) {
      const theirs = `Bearer ${keys.foreign}`
      const names = { ...nobodys, ...pathNames(operation, ours) }
      const notTheirs = await request(posthorn, operation, names, theirs)
      const notThere = await request(posthorn, operation, nobodys, theirs)
      assert.equal(notThere.status, 404)
      assert.equal(withoutRequestId(notTheirs), withoutRequestId(notThere))
    },
  }
}

function useOfInstance(operation: Operation): Look {
  return {
    title: `${operation.id}: cannot use our instance, and cannot find out that there is one`,
    async play({ posthorn, ours, keys }) {
      const theirs = `Bearer ${keys.foreign}`
      const notTheirs = await request(posthorn, operation, ours, theirs)
      assert.ok([404, 501].includes(notTheirs.status), notTheirs.text)
      const notThere = await request(posthorn, operation, nobodys, theirs)
      assert.equal(withoutRequestId(notTheirs), withoutRequestId(notThere))
    },
  }
}

function lookAtList(operation: Operation): Look {
  return {
    title: `${operation.id}: shows them nothing of ours`,
    async play({ posthorn, ours, keys, foreignKeyId }) {
      const dataOf = async (key: string, search: string) => {
        const reply = await posthorn.client().rawRequest('GET', `${operation.path}${search}`, bearer(key))
        return (reply.json as { data: unknown[] }).data
      }
      assert.notDeepEqual(await dataOf(keys[operation.access as Role], ''), [])
      const filters = Object.keys(operation.query?.properties ?? {}).filter((name) => name in ours)
      for (const search of ['', '?limit=200', ...filters.map((name) => `?${name}=${ours[name]}`)]) {
        const theirs = await dataOf(keys.foreign, search)
        // The operator's acts on them are theirs.
        const own = theirs.filter((entry) => isAboutThem(entry, foreignKeyId))
        assert.deepEqual(theirs, own, search)
      }
    },
  }
}

/** True of the neighbour's own key, of what the operator did to the neighbour, and of what the neighbour's key tried. */
function isAboutThem(entry: unknown, foreignKeyId: string): boolean {
  if ('hint' in (entry as object)) return (entry as Key).id === foreignKeyId
  if (!('actor' in (entry as object))) return false
  const { actor, action, target } = entry as AuditEntry
  if (actor.kind === 'key') return actor.key === foreignKeyId
  return ['createOrganization neighbour', `createKey ${foreignKeyId}`].includes(`${action} ${target}`)
}
