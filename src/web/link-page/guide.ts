import type { Guide } from '../../locales/network-words.ts'
import { guideTo } from './words.ts'

/** The steps in which a code is used in the app of a network, and a hint; undefined if the page does not know the app. */
export function stepsTo(network: string, kind: 'qr' | 'code') {
  const guide = guideTo(network)
  if (!guide) return undefined
  const { open, menu, devices, scan, type, notification } = guide
  return kind === 'qr'
    ? { steps: [open, menu.any, devices, scan], hint: undefined }
    : { steps: [open, menu[device()], devices, type], hint: notification }
}

/** People who type a code on a phone have the app on that phone; those who scan one have it on another. */
function device(): keyof Guide['menu'] {
  if (/Android/.test(navigator.userAgent)) return 'android'
  return /iPhone/.test(navigator.userAgent) ? 'iphone' : 'any'
}
