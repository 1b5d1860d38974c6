import type { Referral, WrittenCard, WrittenOrder } from './schemas/written.ts'

/** An act of a person. `reply_to` is the id of a message that is quoted. */
export type Act =
  | {
      readonly act: 'text'
      readonly body: string
      readonly reply_to?: string
      readonly group?: string
      /** The ad or the post from which the person came. */
      readonly referral?: Referral
      /** The product that the person looks at. */
      readonly product?: string
      readonly forwarded?: boolean
    }
  | {
      readonly act: 'image' | 'document' | 'audio' | 'voice' | 'video' | 'sticker'
      /** In base64. */
      readonly bytes: string
      readonly mime_type: string
      readonly caption?: string
      readonly filename?: string
      readonly reply_to?: string
      /** The id of a group in which it is written. */
      readonly group?: string
    }
  | {
      readonly act: 'location'
      readonly latitude: number
      readonly longitude: number
      readonly name?: string
      readonly address?: string
      readonly url?: string
      readonly reply_to?: string
    }
  | { readonly act: 'contacts'; readonly cards: readonly WrittenCard[] }
  /** Of a button or a row of a message that the business sent: by its id or, in a template, by its place. */
  | { readonly act: 'tap'; readonly message_id: string; readonly choice: string | number }
  /** A form that is sent back. */
  | {
      readonly act: 'submit'
      readonly message_id: string
      readonly response_json: string
      readonly form?: string
    }
  | ({ readonly act: 'order' } & WrittenOrder)
  | { readonly act: 'allow-calls' }
  /** Without an emoji, a reaction is taken back. */
  | {
      readonly act: 'reaction'
      readonly message_id: string
      readonly emoji?: string
      readonly group?: string
    }
  /** With the name that the network has for it, if it says one. */
  | { readonly act: 'unsupported'; readonly type?: string }
  | { readonly act: 'edit'; readonly message_id: string; readonly body: string }
  | { readonly act: 'delete'; readonly message_id: string }
  /** In "Offers and announcements" of the chat: no more marketing of the business, or some again. */
  | { readonly act: 'marketing'; readonly value: 'stop' | 'resume' }
  /** Of a message of the business: a status for it. */
  | { readonly act: 'read'; readonly message_id: string }
  | { readonly act: 'play'; readonly message_id: string }
  /** Another phone, and so another user id. A person who hid their phone may show the new one. */
  | { readonly act: 'change-number'; readonly phone: string; readonly shows?: boolean }
