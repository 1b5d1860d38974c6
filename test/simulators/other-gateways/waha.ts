import { type GatewayServer, serveGateway } from './gateway-server.ts'

/** A session of WAHA 2026. */
export interface WahaSession {
  readonly name: string
  readonly status?: 'STOPPED' | 'STARTING' | 'SCAN_QR_CODE' | 'WORKING' | 'FAILED'
  readonly config?: Readonly<Record<string, unknown>>
}

/**
 * WAHA as its documents show it (https://waha.devlike.pro/docs/how-to/sessions/): stopped sessions are listed only with `all=true`,
 * and the configuration of a session shows the keys with which its webhooks are signed.
 */
export function startWaha(key: string, sessions: readonly WahaSession[]): Promise<GatewayServer> {
  return serveGateway((path, request) => {
    if (request.headers['x-api-key'] !== key)
      return { status: 401, body: { message: 'Unauthorized', statusCode: 401 } }
    const { pathname, searchParams } = new URL(path, 'http://waha')
    if (pathname !== '/api/sessions')
      return { status: 404, body: { message: `Cannot GET ${path}`, error: 'Not Found', statusCode: 404 } }
    const shown = sessions.filter(({ status }) => searchParams.get('all') === 'true' || status !== 'STOPPED')
    return { status: 200, body: shown.map(listed) }
  })
}

function listed({ name, status = 'WORKING', config = {} }: WahaSession) {
  const me = status === 'WORKING' ? { id: '4915112345678@c.us', pushName: name } : null
  return { name, status, config, me, engine: { engine: 'NOWEB' }, presence: null, assignedWorker: null }
}
