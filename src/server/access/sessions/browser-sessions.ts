import { Problem } from '../../../contract/problem.ts'
import type { Identified, SessionStore } from '../../../organizations/sessions.ts'
import { type RequestHead, SameOrigin } from './same-origin.ts'
import { SessionCookie } from './session-cookie.ts'

/** The header in which a page says by which key it was opened: the id of the key, or `operator`. */
const openedBy = 'posthorn-opened-by'

/** The sessions of browsers as their requests show them. */
export class BrowserSessions {
  readonly sessions: SessionStore
  readonly cookie: SessionCookie
  readonly sameOrigin: SameOrigin

  constructor(sessions: SessionStore, baseUrl: string | undefined) {
    this.sessions = sessions
    this.cookie = new SessionCookie(baseUrl)
    this.sameOrigin = new SameOrigin(baseUrl)
  }

  /**
   * Resolves with the caller whose session the cookie of a request names. Throws the problem of a request from another
   * origin, and of a page that another caller opened: all tabs of a browser share the cookie of the last caller to sign in.
   * With `isUse`, the session is extended.
   */
  async identify(request: RequestHead, isUse: boolean): Promise<Identified> {
    const token = this.cookie.read(request.headers)
    if (token === undefined) return undefined
    this.sameOrigin.check(request)
    const found = await this.sessions.identify(token, isUse)
    const opener = request.headers[openedBy]
    if (opener === undefined || found === undefined || found === 'expired') return found
    if (opener !== (found === 'operator' ? found : found.keyId)) throw new Problem('session_changed')
    return found
  }
}
