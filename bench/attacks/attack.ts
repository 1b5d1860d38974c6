/** The victim of an attack, and the means of the attacker: all of it belongs to one organization. */
export interface Target {
  /** Address of Posthorn, and an admin key of the attacking organization. */
  readonly url: string
  readonly key: string
  /** An honest XMPP server with an account for an instance and one for an unknown sender; for the attacks that need one. */
  readonly xmpp?: {
    readonly port: number
    readonly domain: string
    readonly account: string
    readonly unknownSender: string
    readonly password: string
  }
  /** A day of silence as FLAC; for the attack that needs it. */
  readonly silence?: string
  /** JSON that the attack prepared before all was quiet. */
  readonly prepared?: unknown
}

/** Means to prepare an attack with, outside the measured time. */
export interface Preparation extends Target {
  /** The name of the attacking organization. */
  readonly organization: string
  /** Carries out statements in the store that both kinds of it understand. */
  execute(statements: readonly string[]): Promise<void>
}

/** Prepares an attack; its result is `prepared` of the target. */
export type Prepare = (preparation: Preparation) => Promise<unknown>

/**
 * Something that one organization, its network's server or an unknown sender does, until the process ends. Resolves when it
 * is under way.
 */
export type Attack = (target: Target) => Promise<void>

/** Calls Posthorn as the attacking organization; resolves with the status of the answer. */
export async function call({ url, key }: Target, path: string, body: object | FormData): Promise<number> {
  const json = body instanceof FormData ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...json },
    body: body instanceof FormData ? body : JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response.status
}

/** Creates an instance; throws when that is refused. */
export async function createInstance(target: Target, instance: object): Promise<void> {
  const status = await call(target, '/v1/instances', instance)
  if (status !== 201) throw new Error(`the instance was answered ${status}`)
}

/** Keeps `count` runs of `once` going, forever. What one of them throws is no reason to stop. */
export function keepDoing(count: number, once: () => Promise<unknown>): void {
  for (let index = 0; index < count; index++) {
    void (async () => {
      for (;;) {
        await once().catch(() => {})
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    })()
  }
}
