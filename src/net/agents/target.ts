/** Where a connection is to lead: a name or an address without brackets, and a port. */
export interface Target {
  readonly host: string
  readonly port: number
}
