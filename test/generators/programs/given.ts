/** Values that a program gets from the test that runs it. */
export const given = JSON.parse(process.env.GIVEN ?? '{}') as {
  readonly baseUrl: string
  readonly key: string
  /** The name of the instance to create, and the account that it logs in as. */
  readonly name: string
  readonly address: string
  readonly service: string
  readonly password: string
  /** Recipient of the messages. */
  readonly to: string
  /** URL at which the server finds a file. */
  readonly url: string
}

/** Tells the test the ids of the messages, and the status of the instance when it was created. */
export function tell(what: {
  address: string
  status: string
  text: string
  url: string
  upload: string
}): void {
  process.stdout.write(JSON.stringify(what))
}

export const picture = new Uint8Array(await (await fetch(given.url)).arrayBuffer())
