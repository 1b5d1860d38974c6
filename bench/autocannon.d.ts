/** The part of autocannon that the benchmark uses; it brings no types. */
declare module 'autocannon' {
  export interface Request {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | Buffer
    /** Called before each time that the request is sent. */
    readonly setupRequest?: (request: Request) => Request
  }
  interface Client {
    setRequests(requests: Request[]): void
    /** The duration is in milliseconds. */
    on(event: 'response', listener: (status: number, bytes: number, duration: number) => void): void
  }
  interface Options {
    readonly url: string
    readonly connections: number
    readonly pipelining: number
    readonly duration: number
    /** So many requests, and not as many as the duration allows. */
    readonly amount?: number
    readonly overallRate?: number
    readonly setupClient: (client: Client) => void
  }
  interface Result {
    /** In seconds. */
    readonly duration: number
    readonly errors: number
    readonly timeouts: number
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>
  }
  export default function autocannon(options: Options): Promise<Result>
}
