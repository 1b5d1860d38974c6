import { startPosthorn } from '../posthorn.ts'
import { startPartsServer } from './parts-server.ts'

/* Run by itself, it shows every part of the console to those who work on it, until it is interrupted. */

const posthorn = await startPosthorn()
const { url } = await startPartsServer(posthorn.url)
const { id } = await posthorn.createKey('default', 'admin')
process.stdout.write(
  `Sign in at ${url}/console#code=${await posthorn.signInCode(id)}, and go to ${url}/console#/parts\n`,
)
