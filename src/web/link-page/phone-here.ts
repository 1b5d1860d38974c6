import type { Phone } from '../browser/steps.ts'

/** The phone that shows the page: people who type a code on a phone have the app on that phone. */
export function phoneHere(): Phone {
  if (/Android/.test(navigator.userAgent)) return 'android'
  return /iPhone/.test(navigator.userAgent) ? 'iphone' : 'any'
}
