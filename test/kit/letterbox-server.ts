import { openGateway } from '../../src/gateway.ts'
import { readConfig } from '../../src/runtime/config/config.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { Letterboxes, letterbox } from './letterbox.ts'

/* A Posthorn in a process of its own that speaks the network `letterbox`; its far end is in the folder TEST_LETTERBOXES. */

const networks = [letterbox(new Letterboxes(process.env.TEST_LETTERBOXES ?? ''))]
const onReplaced = () => process.exit(1)
const onStoreLost = () => process.exit(1)
const { url } = await openGateway(readConfig(process.env), silentLog, { networks, onReplaced, onStoreLost })
process.stdout.write(`Posthorn serves on ${url}\n`)
