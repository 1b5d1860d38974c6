import { join } from 'node:path'
import { confirmKept } from './accept.ts'
import { type Bench, type Figure, median, rateRow } from './figure.ts'
import { type LoadReport, sendTexts, startBareServer, warmUp } from './load.ts'
import { countMessages, type Posthorn, startPosthorn, total, untilMetric } from './posthorn.ts'

const seconds = 30
const bareSeconds = 6
const queueDepth = 'posthorn_queue_depth'

/**
 * Accepted, handed to the sandbox, acknowledged by it, and kept as `sent`: as fast as 64 connections bring them, for 30
 * seconds, and until the queue is empty. The baseline is measured before and after it.
 */
export const settle: Figure = {
  name: 'settle',
  async measure(bench) {
    const data = join(bench.folder, 'settle')
    const [bare, posthorn] = await Promise.all([startBareServer(), startPosthorn(data)])
    const sendToBare = async () =>
      (await sendTexts({ url: bare.url, key: posthorn.key, seconds: bareSeconds })).perSecond
    try {
      await posthorn.createInstances('running')
      const warm = await warmUp(posthorn)
      await warmUp({ url: bare.url, key: posthorn.key })
      const before = await sendToBare()
      const { rate, deepest, load } = await sustain(bench, posthorn)
      const after = await sendToBare()
      confirmKept(data, [warm, load])
      const baseline = median([before, after])
      return [
        rateRow('accepted → sent, sandbox, 30 s', rate, baseline, rate / baseline, 0.15),
        { figure: '… the deepest queue seen', measured: `${deepest.toLocaleString('en')} messages` },
      ]
    } finally {
      await Promise.all([bare.end(), posthorn.end()])
    }
  },
}

async function sustain(bench: Bench, posthorn: Posthorn) {
  await untilMetric(posthorn, queueDepth, 0)
  const sentBefore = countMessages(posthorn.data).get('sent') ?? 0
  let deepest = 0
  const watch = setInterval(() => {
    void posthorn.metric(queueDepth).then((depth) => {
      deepest = Math.max(deepest, depth)
    })
  }, 1_000)
  const begun = performance.now()
  const load: LoadReport = await sendTexts({ ...posthorn, seconds }).finally(() => clearInterval(watch))
  const drained = performance.now()
  await untilMetric(posthorn, queueDepth, 0)
  const ended = performance.now()
  const counts = countMessages(posthorn.data)
  const sent = counts.get('sent') ?? 0
  if (sent !== total(counts)) throw new Error(`not every text was sent: ${JSON.stringify([...counts])}`)
  bench.note(
    `${sent - sentBefore} sent; the queue was empty ${Math.round(ended - drained)} ms after the load`,
  )
  return { rate: ((sent - sentBefore) * 1000) / (ended - begun), deepest, load }
}
