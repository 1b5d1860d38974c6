import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { checkAccessibility, needsChromium, startBrowser } from '../../kit/console/browser.ts'
import { visit } from '../../kit/console/visit.ts'
import { create, eventually } from '../../kit/play.ts'
import { type Posthorn, startPosthorn } from '../../kit/posthorn.ts'

/* Files of conversations in the console: pictures, stickers and videos in the page, and what cannot be shown there. */

/** The smallest pictures in WebP and PNG, and a second of red in WebM, as ffmpeg makes it. */
const webp = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const webm = Buffer.from(
  'GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAIUEU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZUrmtTrIHYTbuMU6uEElTDZ1OsggEeTbuMU6uEHFO7a1OsggH+7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmsirXsYMPQkBNgI1MYXZmNTkuMjcuMTAwV0GNTGF2ZjU5LjI3LjEwMESJiECPQAAAAAAAFlSua8GuAQAAAAAAADjXgQFzxYiOHCqtZMW+upyBACK1nIN1bmSIgQCGhVZfVlA4g4EBI+ODhB3NZQDgibCBELqBEJqBAhJUw2f9c3OgY8CAZ8iaRaOHRU5DT0RFUkSHjUxhdmY1OS4yNy4xMDBzc9djwItjxYiOHCqtZMW+umfIoUWjh0VOQ09ERVJEh5RMYXZjNTkuMzcuMTAwIGxpYnZweGfIokWjiERVUkFUSU9ORIeUMDA6MDA6MDEuMDAwMDAwMDAwAAAfQ7Z12eeBAKO9gQAAgPACAJ0BKhAAEAAARwiFhYiFhIgCAgJ1qgP4A/oCDU0YAP79bvP/45k3MMT/jm3/8WE8DijI//FRAKOVgQH0ALEBAAEQEAAYABhYL/QACAAAHFO7a5G7j7OBALeK94EB8YIBoPCBAw==',
  'base64',
)
/** The head of a video whose format browsers do not play. */
const quicktime = Buffer.from('\0\0\0\x14ftypqt  \0\0\0\0qt  \0\0\0\x08mdat', 'latin1')

describe('files in conversations', needsChromium, () => {
  let posthorn: Posthorn
  let browser: Browser

  before(async () => {
    ;[posthorn, browser] = await Promise.all([startPosthorn(), startBrowser()])
    await create(posthorn.admin, 'shop')
  })

  after(async () => {
    await browser.close()
    await posthorn.stop()
  })

  const at = (name: string) =>
    visit(browser, posthorn, { place: `#/conversations/shop/${name}@delivers.sandbox` })

  async function send(page: Page, name: string, mimeType: string, buffer: Buffer, shownAs: string) {
    await page.getByLabel('Attach a file').setInputFiles({ name, mimeType, buffer })
    await page.getByLabel('Shown as').selectOption({ label: shownAs })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const bubble = page.getByRole('log').locator('li.bubble').filter({ hasText: name })
    await bubble.getByText('Delivered').waitFor()
    return bubble
  }

  test('a sticker and a picture are shown, and a picture can be seen in full', async () => {
    const { page, ...window } = await at('hana')
    const sticker = await send(page, 'sticker.webp', 'image/webp', webp, 'Sticker')
    await sticker.locator('img.sticker').waitFor()
    assert.equal(await sticker.getByRole('button', { name: /^Enlarge/ }).count(), 0)
    const picture = await send(page, 'cake.png', 'image/png', png, 'Image')
    const enlarge = picture.getByRole('button', { name: 'Enlarge cake.png' })
    await enlarge.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Image' })
    await dialog.getByRole('img', { name: 'cake.png' }).waitFor()
    await checkAccessibility(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await enlarge.evaluate((element) => element.matches(':focus')), true)
    window.checkFaults()
    await window.close()
  })

  test('a video plays in the page, once the person asks for it', async () => {
    const { page, ...window } = await at('ida')
    const asked: string[] = []
    page.on('request', (request) => request.url().endsWith('/media') && asked.push(request.url()))
    const bubble = await send(page, 'red.webm', 'video/webm', webm, 'Video')
    const video = bubble.locator('video')
    await video.waitFor()
    assert.deepEqual(asked, [], 'nothing is loaded before')
    await video.evaluate((element) => (element as unknown as { play(): Promise<void> }).play())
    await eventually(
      'the end of the video',
      () => video.evaluate((element) => (element as unknown as { ended: boolean }).ended),
      (hasEnded) => hasEnded,
    )
    await checkAccessibility(page)
    window.checkFaults()
    await window.close()
  })

  test('a video that the browser cannot play says so, and can be saved', async () => {
    const { page, ...window } = await at('jon')
    const unknown = await send(page, 'holiday.mov', 'video/quicktime', quicktime, 'Video')
    await unknown.getByText(/^This cannot be shown here \(Video\)/).waitFor()
    assert.equal(await unknown.locator('video').count(), 0)
    const broken = await send(page, 'broken.webm', 'video/webm', webm.subarray(0, 300), 'Video')
    await broken
      .locator('video')
      .evaluate((element) => (element as unknown as { play(): Promise<void> }).play().catch(() => {}))
    await broken.getByText(/^This cannot be shown here \(Video\)/).waitFor()
    const saving = page.waitForEvent('download')
    await broken.getByRole('link', { name: 'Download broken.webm' }).click()
    assert.equal((await saving).suggestedFilename(), 'broken.webm')
    window.checkFaults()
    await window.close()
  })
})
