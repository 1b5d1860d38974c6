import { writeSync } from 'node:fs'

/** The file in which this process says whom it serves: the server hands it over, and reads it when this process has fallen. */
const file = 4

/** Says which client is served, so that the one that makes a process fall can be told from the others. */
export class Served {
  /** The client that is served now, and the last one, in four bytes each; 0 for none. */
  readonly #record = Buffer.alloc(8)
  #isIdle = true

  /**
   * Marks this client as the cause of everything that happens from now on, until another one is served or nothing is left to
   * do.
   */
  serve(client: number): void {
    if (this.#isIdle) setImmediate(() => this.#rest())
    this.#isIdle = false
    if (this.#record.readUInt32LE(0) === client) return
    this.#record.writeUInt32LE(client, 0)
    this.#record.writeUInt32LE(client, 4)
    this.#write()
  }

  #rest(): void {
    this.#isIdle = true
    this.#record.writeUInt32LE(0, 0)
    this.#write()
  }

  #write(): void {
    try {
      writeSync(file, this.#record, 0, this.#record.length, 0)
    } catch {
      // Without the file, no client is put apart.
    }
  }
}
