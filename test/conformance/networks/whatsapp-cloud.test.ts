import { describe } from 'node:test'
import { whatsappCloud } from '../../../src/networks/whatsapp-cloud/driver.ts'
import { callbackLaws } from './callback-laws.ts'
import { valueLaws } from './value-laws.ts'

const driver = whatsappCloud({ baseUrl: 'https://graph.facebook.com' })

const spellings = [
  { written: '+4915112345678', address: '+4915112345678' },
  { written: '+49 151 123-456.78', address: '+4915112345678' },
  { written: '0049 (151) 12345678', address: '+4915112345678' },
  { written: 'US.13491208655302741918', address: 'US.13491208655302741918' },
]

// What holds at the far end is in the tests beside the driver.
describe('the driver whatsapp-cloud', () => {
  describe('as a value', () => valueLaws({ driver, spellings }))
  describe('called back', () => callbackLaws(driver))
})
