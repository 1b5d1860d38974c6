import { randomBytes } from 'node:crypto'
import { type Group, newGraphId } from '../world.ts'

/** People in a group besides the business. Source: Groups API, Quick facts. */
export const maxMembers = 8

export function newGroup(
  number: string,
  at: number,
  about: { readonly subject?: string; readonly description?: string; readonly join_approval_mode?: string },
): Group {
  return {
    id: newGroupId(),
    number,
    subject: about.subject ?? 'New Purchase Inquiry',
    description: about.description,
    join_approval_mode: about.join_approval_mode ?? 'auto_approve',
    created_at: at,
    requests: new Map(),
    members: new Set(),
    removed: new Set(),
    link: newLink(),
    suspended: false,
  }
}

/** As in the reference: base64 of a name, with what base64 has. */
function newGroupId(): string {
  return Buffer.from(`capi_group:15550001111:${newGraphId()}`).toString('base64')
}

export function newLink(): string {
  return `https://chat.whatsapp.com/${randomBytes(16).toString('base64url')}`
}

export function newRequestId(): string {
  return `AR${randomBytes(18).toString('base64url')}`
}
