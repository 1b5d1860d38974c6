import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify, stripVTControlCharacters } from 'node:util'
import jsqr from 'jsqr'

const run = promisify(execFile)
const demo = new URL('../../../demo/demo.ts', import.meta.url).pathname

const play = async (network: string): Promise<string> =>
  (await run(process.execPath, [demo, network, '--end'], { timeout: 120_000 })).stdout

function assertConversation(shown: string, last: string): void {
  assert.match(shown, /message\.received +"Hello, is my order on its way\?"/)
  assert.match(shown, new RegExp(`${last.replace('.', '\\.')} +"It left this morning\\."`))
}

describe('npm run demo', { concurrency: 2 }, () => {
  for (const [network, last] of [
    ['telegram', 'message.sent'],
    ['whatsapp-cloud', 'message.read'],
  ] as const) {
    test(`${network}: shows a conversation both ways`, async () => {
      assertConversation(await play(network), last)
    })
  }

  test('whatsapp: shows a QR code, a conversation, and that the link lasts', async () => {
    const shown = await play('whatsapp')
    const rows = shown.split('\n').filter((line) => line.startsWith('\x1b[47m'))
    assert.match(readBy(rows.map(stripVTControlCharacters)) ?? '', /^\S{2,}(,\S+){3}/)
    assertConversation(shown, 'message.read')
    for (const file of ['invoice.pdf', 'parcel.png'])
      assert.match(shown, new RegExp(`message\\.read +${file.replace('.', '\\.')}`))
    assert.match(shown, /message\.read +"We are back\."/)
    assert.match(shown, /Ana has received 5 messages/)
  })

  test('says how it is used if the network is unknown', async () => {
    await assert.rejects(run(process.execPath, [demo, 'pigeons']), /telegram \| whatsapp \| whatsapp-cloud/)
  })
})

/** Returns the text that a phone reads in a QR code that is drawn with half blocks, at most 80 of them side by side. */
function readBy(rows: readonly string[]): string | undefined {
  const [modules, margin] = [4, 4]
  const columns = rows[0]?.length ?? 0
  assert.ok(columns > 0 && columns <= 80, `${columns} columns`)
  const side = (columns + 2 * margin) * modules
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let pixel = 0; pixel < side * side; pixel += 1) {
    const x = Math.floor((pixel % side) / modules) - margin
    const y = Math.floor(Math.floor(pixel / side) / modules) - margin
    const block = rows[Math.floor(y / 2)]?.[x] ?? ' '
    const isLastRow = Math.floor(y / 2) >= rows.length - 2
    if (!isLastRow && (block === '█' || block === (y % 2 === 0 ? '▀' : '▄'))) pixels.set([0, 0, 0], pixel * 4)
  }
  return jsqr.default(pixels, side, side)?.data
}
