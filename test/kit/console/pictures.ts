import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { sendInteractiveMessage } from '../../../src/contract/operations/content-operations.ts'
import { createInstance } from '../../../src/contract/operations/instance-operations.ts'
import { createLinkPage } from '../../../src/contract/operations/link-page-operations.ts'
import { sendMediaMessage } from '../../../src/contract/operations/message-operations.ts'
import { eventually, everythingReceived, reaches, text } from '../play.ts'
import { type Posthorn, startPosthorn } from '../posthorn.ts'
import { openWindow } from './browser.ts'
import type { Furnished } from './furnished.ts'
import { isForOperator, linkTo, placesOf } from './places.ts'
import { visit } from './visit.ts'

/* The pictures of the documentation. */

const instance = 'counter'
const token = 'the token of the counter'
const carla = 'carla@chooses.sandbox'

/** A screen of which the documentation has a picture. */
interface Picture {
  readonly name: string
  readonly link: string
  readonly width?: number
  readonly colorScheme?: 'dark'
}

/** Takes the pictures of all screens, and of what is no screen, anew. */
export async function takePictures(browser: Browser, furnished: Furnished, folder: URL): Promise<void> {
  const { posthorn, operatorToken, named } = furnished
  await furnishConversation(posthorn)
  const conversation = { ...named, instance, address: carla }
  // The list of conversations stands beside the conversation, too, and groups first ask for an instance.
  const places = placesOf(conversation).filter(({ name }) => name !== 'conversations' && name !== 'groups')
  const pictureOf = (place: (typeof places)[number]): Picture => ({ name: place.name, link: linkTo(place) })
  const talk = linkTo({ name: '', path: ['conversations', instance, carla] })
  const others: readonly Picture[] = [
    { name: 'linking', link: '#/instances/bakery' },
    { name: 'overview-dark', link: '#/overview', colorScheme: 'dark' },
    { name: 'conversation-phone', link: talk, width: 360 },
  ]
  const own = places.filter((place) => !isForOperator(place)).map(pictureOf)
  const ofOperator = places.filter(isForOperator).map(pictureOf)
  for (const [key, pictures] of [
    [posthorn.adminKey, [...own, ...others]],
    [operatorToken, ofOperator],
  ] as const) {
    const { page, close } = await visit(browser, posthorn, { key })
    for (const { name, link, width = 1280, colorScheme = 'light' } of pictures) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await page.goto('about:blank')
      await page.goto(`${posthorn.url}/console${link}`)
      await page.locator('main:not(:has(.loading)) h1').first().waitFor()
      await take(page, name, folder)
    }
    await close()
  }
  await takeDoors(browser, folder)
}

/** The pages for those who have no session: signing in, and linking an account. */
async function takeDoors(browser: Browser, folder: URL): Promise<void> {
  // The URLs of link pages begin with that of the server.
  const environment = { POSTHORN_BASE_URL: 'https://chat.example.com' }
  const posthorn = await startPosthorn({ environment })
  const settings = { link: 'qr', links_after_seconds: 3_600, link_step_seconds: 3_600 }
  const params = { name: 'bakery' }
  await posthorn.admin.call(createInstance, { body: { ...params, network: 'sandbox', settings } })
  const { page, close } = await openWindow(browser, { url: posthorn.url })
  await page.goto(`${posthorn.url}/console`)
  await page.locator('input[type=password]').waitFor()
  await take(page, 'sign-in', folder)
  const { body } = await posthorn.admin.call(createLinkPage, { params, body: { title: 'Bakery Ana' } })
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${posthorn.url}/link#${body.url.split('#')[1]}`)
  await page.locator('h1').first().waitFor()
  await take(page, 'link-page', folder)
  await close()
  await posthorn.stop()
}

/** A picture in few colours, because each clone of the repository has it. */
async function take(page: Page, name: string, folder: URL): Promise<void> {
  await page.waitForLoadState('networkidle')
  const taken = await page.screenshot()
  writeFileSync(
    new URL(`${name}.png`, folder),
    await sharp(taken).png({ palette: true, colours: 64 }).toBuffer(),
  )
}

/** A customer orders a cake: with a reply, a reaction, a picture, and buttons of which she taps one. */
async function furnishConversation(posthorn: Posthorn): Promise<void> {
  const { admin } = posthorn
  const { body } = await admin.call(createInstance, {
    body: { name: instance, network: 'sandbox', settings: {}, credentials: { token } },
    waitSeconds: 20,
  })
  const callback = new URL(String(body.callback_url), posthorn.url).href
  let count = 0
  const hears = async (said: object) => {
    const told = JSON.stringify({ from: carla, ...said })
    const signature = createHmac('sha256', token).update(told).digest('hex')
    await fetch(callback, {
      method: 'POST',
      headers: { 'x-sandbox-signature': `sha256=${signature}` },
      body: told,
    })
    count += 1
    return eventually(
      'her message',
      () => everythingReceived(admin, instance),
      (all) => all.length === count,
    )
  }
  const says = async (words: string, more = {}) =>
    reaches(admin, (await text(admin, { instance, to: carla, text: words, ...more }, 20)).id, 'delivered')
  const [asked] = await hears({ text: 'Good morning! Do you still have the lemon cake for Saturday?' })
  await says('Good morning, Carla! Yes, we do. For how many people?', { reply_to: asked?.id })
  await hears({ text: 'For twelve. It is for my mother.' })
  const form = new FormData()
  const fields = { instance, to: carla, kind: 'image', caption: 'This one is for twelve.' }
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new Blob([await cake()], { type: 'image/png' }), 'lemon-cake.png')
  const { body: picture } = await admin.call(sendMediaMessage, { body: form, waitSeconds: 20 })
  await hears({ text: '😍', relation: { type: 'reaction', message: picture.network_message_id } })
  const question = {
    body: 'When would you like to collect it?',
    buttons: ['Saturday, 9:00', 'Saturday, 15:00'].map((title) => ({ id: title, title })),
  }
  await admin.call(sendInteractiveMessage, { body: { instance, to: carla, ...question }, waitSeconds: 20 })
  count += 1
  await eventually(
    'what she tapped',
    () => everythingReceived(admin, instance),
    (all) => all.length === count,
  )
  await says('Perfect. See you on Saturday!')
}

/** A drawing of a cake. */
async function cake(): Promise<Uint8Array<ArrayBuffer>> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 30 320 160" width="320" height="160">
    <rect y="30" width="320" height="160" fill="#f6efe2"/><ellipse cx="160" cy="164" rx="118" ry="16" fill="#d9cdb8"/>
    <rect x="64" y="92" width="192" height="66" rx="10" fill="#e9c46a"/><rect x="64" y="118" width="192" height="10" fill="#fff8e1"/>
    <path d="M64 98q0-22 22-22h148q22 0 22 22v6q-16 22-32 0-16 20-32 0-16 24-32 0-16 20-32 0-16 22-32 0-16 18-32 0z" fill="#fffdf5"/>
    ${[100, 140, 180, 220].map((x) => `<circle cx="${x}" cy="70" r="12" fill="#f4d35e" stroke="#e0b93b" stroke-width="3"/>`).join('')}
  </svg>`
  return new Uint8Array(await sharp(Buffer.from(drawing)).png().toBuffer())
}
