import { openGateway } from '../../../src/gateway/start.ts'
import { readConfig } from '../../../src/networks/config.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { Archives, archiveNetwork } from './archive-network.ts'

/* A Posthorn in a separate process with the network `archive`; its far end is in the folder TEST_ARCHIVES. */

const networks = [archiveNetwork(new Archives(process.env.TEST_ARCHIVES ?? ''))]
const onReplaced = () => process.exit(1)
const onStoreLost = () => process.exit(1)
const { url } = await openGateway(readConfig(process.env), silentLog, { networks, onReplaced, onStoreLost })
process.stdout.write(`Posthorn serves on ${url}\n`)
