import type { Config } from '../../runtime/config/config.ts'
import { isServerRunning } from '../../store/server-lock.ts'
import { examineConfiguration } from './configuration.ts'
import { examineDataFolder } from './data-folder.ts'
import type { Finding } from './finding.ts'
import { examineMedia } from './media.ts'
import { examineNode } from './node.ts'
import { examineServer } from './server.ts'
import { examineStore, type Thoroughness } from './store.ts'
import { examineVoiceNotes } from './voice-notes.ts'

/** Examines one thing after the other. What depends on the configuration is skipped if that is invalid. */
export async function examine(thoroughness: Thoroughness): Promise<Finding[]> {
  const { findings, config } = await examineConfiguration(process.env)
  const first = [examineNode(), ...findings]
  return config ? [...first, ...(await examineRest(config, thoroughness))] : first
}

async function examineRest(config: Config, thoroughness: Thoroughness): Promise<Finding[]> {
  const folder = examineDataFolder(config)
  if (folder.some(({ verdict, subject }) => verdict === 'fail' && subject === 'data folder')) return folder
  const running = isServerRunning(config.POSTHORN_DATA)
  const { findings, facts } = await examineStore(config, running, thoroughness)
  // Without the store, it is not known which installation the stored files belong to.
  const media = facts ? [await examineMedia(config, facts)] : []
  const voiceNotes = await examineVoiceNotes()
  return [...folder, ...findings, ...media, voiceNotes, ...(await examineServer(config, running))]
}
