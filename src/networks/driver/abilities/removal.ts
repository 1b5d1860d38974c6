export interface Removal {
  /** Resolves to `true` if the network confirmed, and to `false` if it cannot be reached now; then it is called again later. */
  remove(): Promise<boolean>
}
