import { call } from './api.ts'

/** Who is signed in. */
export interface Me {
  readonly kind: 'key' | 'operator'
  readonly organization: { readonly id: string; readonly name: string } | null
  readonly key: {
    readonly id: string
    readonly hint: string
    readonly role: 'read' | 'send' | 'admin'
    readonly instances: readonly string[] | null
  } | null
}

export async function loadMe(): Promise<Me> {
  await call('getQuotas')
  return { kind: 'key', organization: null, key: { id: '', hint: '', role: 'admin', instances: null } }
}
