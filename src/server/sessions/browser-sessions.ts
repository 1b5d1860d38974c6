import type { Identified, Sessions } from '../../organizations/sessions.ts'
import { type Asking, SameOrigin } from './same-origin.ts'
import { SessionCookie } from './session-cookie.ts'

/** The sessions of browsers as their requests show them. */
export class BrowserSessions {
  readonly sessions: Sessions
  readonly cookie: SessionCookie
  readonly sameOrigin: SameOrigin

  constructor(sessions: Sessions, baseUrl: string | undefined) {
    this.sessions = sessions
    this.cookie = new SessionCookie(baseUrl)
    this.sameOrigin = new SameOrigin(baseUrl)
  }

  /**
   * Who has the session that the cookie of a request names.
   * Throws the problem of a request from another origin. With `isUse`, the session lasts longer for it.
   */
  async identify(request: Asking, isUse: boolean): Promise<Identified> {
    const token = this.cookie.read(request.headers)
    if (token === undefined) return undefined
    this.sameOrigin.check(request)
    return this.sessions.identify(token, isUse)
  }
}
