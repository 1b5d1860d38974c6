/** What a program is told by the test that runs it. */
export const given = JSON.parse(process.env.GIVEN ?? '{}') as {
  readonly baseUrl: string
  readonly key: string
  /** The name of the instance to create, and the account that it logs in as. */
  readonly name: string
  readonly address: string
  readonly service: string
  readonly password: string
  /** Whom to write to. */
  readonly to: string
  /** Where the server finds a file. */
  readonly url: string
}

/** What it tells the test: the ids of the messages, and how the instance stood when it was created. */
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
