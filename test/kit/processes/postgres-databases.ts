import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** Databases for one test file, on a server that it may share with others. */
export class PostgresDatabases {
  readonly #url: string
  readonly #created: string[] = []

  /** `url` is the address of a database that exists. */
  constructor(url: string) {
    this.#url = url
  }

  /** The address of a database on this server. */
  url(database: string): string {
    const url = new URL(this.#url)
    url.pathname = `/${database}`
    return url.href
  }

  /** Creates an empty database and returns its address. */
  async createDatabase(options = ''): Promise<string> {
    const name = `test_${randomBytes(8).toString('hex')}`
    await this.query(`create database ${name} ${options}`)
    this.#created.push(name)
    return this.url(name)
  }

  /** Executes one statement on a connection of its own. */
  async query<Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
    url = this.#url,
  ): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Removes the databases that were created here. */
  async stop(): Promise<void> {
    for (const name of this.#created.splice(0))
      await this.query(`drop database if exists ${name} with (force)`)
  }
}
