/** A proxy as callers name it. */
export interface ProxySettings {
  /** `http`, `https` (the connection to the proxy is encrypted, too), `socks5` or `socks5h`, with a host and perhaps a port. */
  readonly url: string
  readonly username?: string
  readonly password?: string
}
